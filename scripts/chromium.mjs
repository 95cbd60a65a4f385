// The browser for browser tests and benches. Node only, no dependencies.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cleanEnv } from './bootstrap.mjs'

/** Debian's headless Chromium comes first: the whole one draws its toolbar as a page of its own, which takes half a core. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const PACKAGES = ['chromium-headless-shell', 'chromium']

export const HOW_TO_GET_CHROMIUM =
  "There is no Chromium. Debian: apt-get install chromium. Elsewhere: set CHROMIUM to a browser's path, or npx playwright install chromium and set PLAYWRIGHT_OWN_BROWSER=1."

/** Path of the Chromium to use; undefined if there is none. A missing CHROMIUM is not replaced by another one. */
export function findChromium(env = process.env, places = PLACES) {
  return (env.CHROMIUM ? [env.CHROMIUM] : places).find((file) => existsSync(file))
}

/** Like `findChromium`; as root on Debian it installs the headless one if it is not there, and prints the package. */
export function ensureChromium() {
  const found = findChromium()
  if (process.env.CHROMIUM || found === PLACES[0] || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return found
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=15', ...args], {
      env: cleanEnv({ DEBIAN_FRONTEND: 'noninteractive' }),
      stdio: ['ignore', 'ignore', 'inherit'],
    }).status === 0
  apt('update')
  for (const name of found ? PACKAGES.slice(0, 1) : PACKAGES) {
    console.log(`[boot] There is no ${name}: running apt-get install ${name}`)
    if (apt('install', '-y', '--no-install-recommends', name)) break
  }
  return findChromium()
}

/** The browser for Playwright, undefined for its own. Without any, prints one line and exits. */
export function requireChromium() {
  const found = ensureChromium()
  if (found || process.env.PLAYWRIGHT_OWN_BROWSER) return found
  console.error(HOW_TO_GET_CHROMIUM)
  return process.exit(1)
}

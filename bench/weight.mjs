// First-load JavaScript of the console's pages against a hello world of the same Next.js, built and served in the same run:
// the bytes of script bodies as they cross the wire (gzip), summed by Chromium over a cold load. What a page fetches by itself
// after that (editors, palettes) is `later`.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, root, tool } from '../scripts/bootstrap.mjs'
import { finish, freePort, launchChromium, signIn, startConsole } from './console.mjs'

const next = path.join(root, 'node_modules/next/dist/bin/next')

async function helloWorld() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-hello-'))
  mkdirSync(path.join(folder, 'app'))
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}')
  writeFileSync(
    path.join(folder, 'app/layout.jsx'),
    'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html> }',
  )
  writeFileSync(path.join(folder, 'app/page.jsx'), 'export default function Page() { return <p>Hello, world</p> }')
  writeFileSync(path.join(folder, 'next.config.mjs'), `export default { turbopack: { root: ${JSON.stringify(root)} } }`)
  if (
    !tool('../node_modules/next/dist/bin/next', ['build', '--webpack'], {
      cwd: folder,
      env: cleanEnv({ NODE_ENV: 'production' }),
    })
  )
    throw new Error('the hello world did not build')
  const port = await freePort()
  const child = spawn(process.execPath, [next, 'start', '-p', String(port)], {
    cwd: folder,
    env: cleanEnv({ NODE_ENV: 'production' }),
    stdio: 'ignore',
  })
  return {
    url: `http://localhost:${port}`,
    end: () => finish(child).then(() => rmSync(folder, { recursive: true, force: true })),
  }
}

/** Kilobytes of script bodies that a cold load of `url` transfers: those the page names, and those it asks for by itself. */
async function scriptWeight(context, url) {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Map()
  const bytes = new Map()
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script') scripts.set(requestId, new URL(response.url).pathname)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength))
  const html = await (await page.goto(url, { waitUntil: 'load' })).text()
  await page.waitForTimeout(1500)
  await page.close()
  const sum = (isWanted) =>
    [...scripts].reduce((total, [id, at]) => total + (isWanted(at) ? (bytes.get(id) ?? 0) : 0), 0) / 1000
  return { first: sum((at) => html.includes(at)), later: sum((at) => !html.includes(at)) }
}

export async function measure() {
  const browser = await launchChromium()
  const hello = await helloWorld()
  const ours = await startConsole()
  try {
    const context = await browser.newContext({ baseURL: ours.url })
    const page = await context.newPage()
    await signIn(page)
    const first = await page.getByRole('link', { name: 'concierge' }).first().getAttribute('href')
    const pages = {
      'sign-in': '/sign-in',
      list: new URL(page.url()).pathname,
      overview: first,
      'run start': `${first}/runs/new`,
      threads: `${first}/threads`,
    }
    const { first: peer } = await scriptWeight(await browser.newContext(), hello.url)
    const rows = []
    for (const [name, at] of Object.entries(pages)) {
      const signedIn = name === 'sign-in' ? await browser.newContext({ baseURL: ours.url }) : context
      const { first, later } = await scriptWeight(signedIn, new URL(at, ours.url).href)
      rows.push({
        id: `weight ${name}`,
        ours: +first.toFixed(1),
        peer: +peer.toFixed(1),
        peer_name: 'next hello world',
        unit: 'kB',
        ratio: +(first / peer).toFixed(2),
        later: +later.toFixed(1),
        rounds: 1,
      })
    }
    return rows
  } finally {
    await browser.close()
    await Promise.all([ours.end(), hello.end()])
    console.error(readFileSync(path.join(root, 'package.json'), 'utf8').match(/"next": "[^"]+"/)?.[0])
  }
}

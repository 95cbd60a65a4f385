// node scripts/pictures/take-docs.mjs [NAME ...]: takes the documentation's pictures from the running product, in both themes,
// with agents that have something to show. Needs ffmpeg.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { launchChromium, signIn, startConsole } from '../../bench/console.mjs'
import { root } from '../bootstrap.mjs'
import { experiment, fillSettings, startRun } from './sample-use.mjs'
import { fill } from './sample-work.mjs'
import { shrink } from './shrink.mjs'

const SIZE = { width: 1280, height: 800 }
const folder = path.join(root, 'docs/use/pictures')
const only = process.argv.slice(2)

/**
 * Name of the picture → address of the page, and what is done there first.
 * @returns {Record<string, [string, ((page: any) => Promise<unknown>)?]>}
 */
const pagesOf = ({ concierge, workbench, thread }) => {
  const at = (deployment, part = '') => `/local/deployments/${deployment}${part && `/${part}`}`
  return {
    run: [
      '/local',
      async (page) => {
        const isOver = () => page.getByText('Recorded', { exact: true })
        await startRun(page, { deployment: workbench, assistant: 'research (default)', message: 'tides', isOver })
        await page.getByRole('tab', { name: 'Steps' }).click()
      },
    ],
    'failed-run': [
      '/local',
      (page) =>
        startRun(page, {
          ...{ deployment: workbench, assistant: 'failing (default)' },
          isOver: () => page.getByRole('region', { name: 'Failure' }),
        }),
    ],
    home: ['/local'],
    deployments: ['/local/deployments'],
    'new-deployment': ['/local/deployments/new'],
    overview: [at(concierge)],
    chat: [at(concierge, `chat/${thread}`)],
    runs: ['/local/runs'],
    threads: ['/local/threads'],
    thread: [at(concierge, `threads/${thread}?tab=history`)],
    revisions: [at(workbench, 'revisions')],
    logs: [at(concierge, 'logs')],
    traces: ['/local/traces'],
    trace: [
      at(concierge, 'traces'),
      async (page) => {
        await page.locator('tr[data-key]').filter({ hasText: '258' }).locator('a').first().click()
        await page.waitForURL(/traces\/.+/)
      },
    ],
    inbox: [
      '/local/inbox',
      (page) =>
        page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]').getByRole('link').first().click(),
    ],
    alerts: ['/local/alerts'],
    audit: ['/local/audit'],
    members: ['/local/members'],
    settings: ['/local/settings'],
    tokens: ['/local/settings/tokens'],
    experiments: ['/local/experiments', (page) => experiment(page, concierge)],
    assistants: [at(concierge, 'assistants')],
    crons: [at(concierge, 'crons')],
    store: [at(concierge, 'store')],
    mcp: [at(concierge, 'mcp')],
    secrets: [at(workbench, 'settings/secrets')],
    system: [at(concierge, 'system')],
  }
}

mkdirSync(folder, { recursive: true })
const { url, end } = await startConsole({ PILOTHOUSE_SAMPLES: 'true' })
const browser = await launchChromium()
try {
  const pages = pagesOf(await fill())
  const page = await browser.newPage({ baseURL: url, viewport: SIZE, reducedMotion: 'reduce' })
  await signIn(page)
  await fillSettings(page)
  for (const [name, [address, act]] of Object.entries(pages)) {
    if (only.length > 0 && !only.includes(name)) continue
    try {
      await page.goto(address)
      if (act) await act(page)
      await page
        .locator('[aria-busy="true"]')
        .first()
        .waitFor({ state: 'detached', timeout: 10_000 })
        .catch(() => {})
      await page
        .waitForFunction(() => !document.querySelector('.animate-pulse'), null, { timeout: 20_000 })
        .catch(() => {})
      await page.waitForTimeout(1500)
      for (const [scheme, file] of /** @type {const} */ ([
        ['light', `${name}.png`],
        ['dark', `${name}-dark.png`],
      ])) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.screenshot({ path: path.join(folder, file) })
        shrink(path.join(folder, file))
      }
      await page.emulateMedia({ colorScheme: 'light' })
      console.log(`docs/use/pictures/${name}.png`)
    } catch (error) {
      console.error(`${name}: ${error.message.split('\n')[0]}`)
      process.exitCode = 1
    }
  }
} finally {
  await browser.close()
  await end()
}

// node scripts/pictures/take-docs.mjs [NAME ...]: takes the documentation's pictures from the running product, in both themes,
// with agents that have something to show.
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { launchChromium, signIn, startConsole } from '../../bench/console.mjs'
import { root } from '../bootstrap.mjs'

const SIZE = { width: 1280, height: 800 }
const folder = path.join(root, 'docs/use/pictures')
const only = process.argv.slice(2)

/** Calls the embedded platform. Returns the JSON of its response, if there is some. */
async function ask(method, resource, body) {
  const data = readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8')
  const { url, api_key } = JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8'))
  const response = await fetch(url + resource, {
    method,
    headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${resource}: ${response.status} ${await response.text()}`)
  const text = await response.text()
  return text && JSON.parse(text)
}

/** Runs, an interrupt, a failed run, a cron and items, so that no page is empty. Returns where they are. */
async function fill() {
  const { resources } = await ask('GET', '/v2/deployments')
  const idOf = (name) => resources.find((one) => one.name === name)?.id
  const [concierge, workbench] = [idOf('concierge'), idOf('workbench')]
  const say = (content, extra = {}) => ({
    input: { messages: [{ role: 'user', content }] },
    context: { delay_ms: 0 },
    ...extra,
  })
  const on = (deployment) => async (assistant_id, body) => {
    const { thread_id } = await ask('POST', `/agents/${deployment}/threads`, {})
    await ask('POST', `/agents/${deployment}/threads/${thread_id}/runs/wait`, { assistant_id, ...body }).catch(() => {})
    return thread_id
  }
  const talk = on(concierge)
  const thread = await talk('chat', say('A berth costs 42 euros a night. What is 3 * 42 + 18?'))
  await talk('chat', say('What time is it?'))
  await talk('chat', say('What is 12 * (3 + 4)?'))
  for (const recipient of ['the board', 'ada@example.com'])
    await talk('approval', { ...say('Write to them about the winter rates'), context: { delay_ms: 0, recipient } })
  const { assistant_id } = await ask('POST', `/agents/${concierge}/assistants`, {
    graph_id: 'chat',
    name: 'night shift',
    context: { delay_ms: 40 },
  })
  await ask('POST', `/agents/${concierge}/runs/crons`, {
    assistant_id,
    schedule: '0 7 * * *',
    input: { messages: [{ role: 'user', content: 'What is on today?' }] },
  })
  await fillStore(concierge)
  return { concierge, workbench, thread }
}

/** @param {string} deployment */
async function fillStore(deployment) {
  const items = { ada: { berth: 12, likes: ['jazz', 'early breakfast'] }, grace: { berth: 7, likes: ['quiet'] } }
  for (const [key, value] of Object.entries(items))
    await ask('PUT', `/agents/${deployment}/store/items`, { namespace: ['guests'], key, value })
}

/**
 * Name of the picture → address of the page, and what is done there first.
 * @returns {Record<string, [string, ((page: any) => Promise<unknown>)?]>}
 */
const pagesOf = ({ concierge, workbench, thread }) => {
  const at = (deployment, part = '') => `/local/deployments/${deployment}${part && `/${part}`}`
  return {
    home: ['/local'],
    deployments: ['/local/deployments'],
    'new-deployment': ['/local/deployments/new'],
    overview: [at(concierge)],
    chat: [at(concierge, `chat/${thread}`)],
    runs: ['/local/runs'],
    run: [
      at(concierge, 'runs/new'),
      async (page) => {
        await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
        await page.getByLabel('Message', { exact: true }).last().fill('What is 3 * 42 + 18?')
        await page.getByRole('button', { name: 'Start run' }).click()
        await page.getByText('Recorded', { exact: true }).waitFor()
        await page.getByRole('tab', { name: 'Steps' }).click()
      },
    ],
    'failed-run': [
      at(workbench, 'runs/new'),
      async (page) => {
        await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'failing (default)' })
        await page.getByLabel('Message', { exact: true }).last().fill('Check the harbour')
        await page.getByRole('button', { name: 'Start run' }).click()
        await page.getByText('Recorded', { exact: true }).waitFor({ timeout: 60_000 })
      },
    ],
    threads: ['/local/threads'],
    thread: [at(concierge, `threads/${thread}`)],
    revisions: [at(concierge, 'revisions')],
    logs: [at(concierge, 'logs')],
    traces: ['/local/traces'],
    trace: [
      at(concierge, 'traces'),
      async (page) => {
        await page.locator('tr[data-key] a').first().click()
        await page.waitForURL(/traces\/.+/)
      },
    ],
    inbox: ['/local/inbox'],
    alerts: ['/local/alerts'],
    audit: ['/local/audit'],
    members: ['/local/members'],
    settings: ['/local/settings'],
    tokens: ['/local/settings/tokens'],
    experiments: ['/local/experiments/new'],
    assistants: [at(concierge, 'assistants')],
    crons: [at(concierge, 'crons')],
    store: [at(concierge, 'store')],
    mcp: [at(concierge, 'mcp')],
    secrets: [at(concierge, 'settings/secrets')],
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

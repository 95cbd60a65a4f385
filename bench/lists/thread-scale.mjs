// The threads list with many threads on the embedded agent server: milliseconds from a press to the next page's rows on
// screen, against the same search sent directly; a page's elements and bytes; and whether any request asks for values.
// `BENCH_THREADS` sets how many (100,000).
import { readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { root } from '../../scripts/bootstrap.mjs'
import { runningServer } from '../../scripts/postgres.mjs'
import { launchChromium, signIn, startConsole } from '../console.mjs'
import { byTurns, ROUNDS, row } from '../live/rounds.mjs'

const COUNT = Number(process.env.BENCH_THREADS ?? 100_000)
const QUERIES = {
  'first page': '',
  'page in the middle': `?offset=${COUNT / 2}`,
  'by status': '?status=error',
  'by metadata': '?q=team:team-7',
  'by status, oldest first': '?status=idle&sort=created_at-asc',
}

/** @returns one row per kind of page, and one for their total weight. */
export async function measure() {
  const ours = await startConsole()
  const browser = await launchChromium()
  try {
    const data = readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8')
    const platform = JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8'))
    const { id, agent } = await sampleDeployment(platform)
    await fill(runningServer(data), id)
    const context = await browser.newContext({ baseURL: ours.url, viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(watchLongTasks)
    const bodies = []
    page.on('request', (request) => {
      if (request.url().includes('/threads/search')) bodies.push(request.postData() ?? '')
    })
    await signIn(page)
    const rows = []
    const weights = []
    for (const [name, query] of Object.entries(QUERIES)) {
      await page.goto(`/local/deployments/${id}/threads${query}`)
      await page.locator('table[aria-label=Threads] tr[data-key]').first().waitFor()
      await page.waitForTimeout(1_000) // what opening it left behind must not be measured
      const asked = bodies.at(-1)
      const seen = await byTurns({ direct: 'direct', ours: 'ours' }, { count: ROUNDS, slack: 20 }, (side) =>
        side === 'ours' ? turn(page) : direct(agent, asked),
      )
      rows.push(row(`threads ${name}: next page`, 'ms', seen, { peer: 'direct', goal: '< 300 ms', of_threads: COUNT }))
      weights.push(await page.evaluate(() => [document.querySelectorAll('*').length, Math.max(0, ...window.longTasks)]))
    }
    const most = (at) => [{ ours: Math.max(...weights.map((one) => one[at])) }]
    rows.push(row('threads: elements of a page, most', 'nodes', { rounds: most(0) }, { goal: '<= 2000' }))
    rows.push(row('threads: longest block of the page', 'ms', { rounds: most(1) }, {}))
    const heavy = bodies.filter((body) => !(JSON.parse(body).select?.length > 0) || body.includes('"values"')).length
    rows.push(row('threads: searches that ask for values', 'requests', { rounds: [{ ours: heavy }] }, { goal: '0' }))
    return rows
  } finally {
    await browser.close()
    await ours.end()
  }
}

function watchLongTasks() {
  window.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration)
  }).observe({ type: 'longtask' })
}

async function sampleDeployment({ url, api_key: key }) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const listed = await fetch(`${url}/v2/deployments?name_contains=concierge`, { headers })
  const { resources } = await listed.json()
  return { id: resources[0].id, agent: { url: `${url}/agents/${resources[0].id}`, headers } }
}

/** Rows as after runs, without their states, which no list reads. */
async function fill(databaseUrl, deployment) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const schema = `agent_${deployment.replaceAll('-', '')}`
  await client.query(
    `insert into "${schema}".threads (thread_id, status, resting, metadata, created_at, updated_at, state_updated_at)
     select gen_random_uuid()::text, status, status,
            jsonb_build_object('graph_id', 'chat', 'team', 'team-' || n % 500, 'n', n), at, at, at
     from (select n, case when n % 500 = 0 then 'interrupted' when n % 5 = 0 then 'error' else 'idle' end as status,
                  now() - n * interval '1 second' as at from generate_series(1, $1::int) n) made`,
    [COUNT],
  )
  await client.query(`analyze "${schema}".threads`)
  await client.end()
}

/** Turns to the next page; done when the old rows are gone and the new ones drawn. */
const turn = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const keys = () => [...document.querySelectorAll('tr[data-key]')].map((one) => one.getAttribute('data-key'))
        const before = keys()[0]
        const next = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Next')
        const began = performance.now()
        next?.click()
        const look = () => {
          const now = keys()
          if (now.length > 0 && now[0] !== before)
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
          else requestAnimationFrame(look)
        }
        look()
      }),
  )

async function direct({ url, headers }, body) {
  const began = performance.now()
  const response = await fetch(`${url}/threads/search`, { method: 'POST', headers, body })
  await response.text()
  return performance.now() - began
}

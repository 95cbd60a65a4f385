// The runs of a workspace with many recordings in 50 deployments: milliseconds from a press to the first rows on screen.
// `BENCH_RUNS` sets how many (100,000), a twentieth of which failed.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { root } from '../../scripts/bootstrap.mjs'
import { runningServer } from '../../scripts/postgres.mjs'
import { launchChromium, signIn, startConsole } from '../console.mjs'
import { byTurns, row } from '../live/rounds.mjs'

const COUNT = Number(process.env.BENCH_RUNS ?? 100_000)
/** The link to press on Home. */
const QUESTIONS = { 'all runs': 'Runs', 'failed in the last 24 hours': 'All failed runs' }

/** @returns one row per question. */
export async function measure() {
  const ours = await startConsole()
  const browser = await launchChromium()
  try {
    await fill(runningServer(readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8')))
    const context = await browser.newContext({ baseURL: ours.url, viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await signIn(page)
    const rows = []
    for (const [name, link] of Object.entries(QUESTIONS)) {
      const seen = await byTurns({ ours: link }, { canary: 'none' }, async (pressed) => {
        await page.goto('/local')
        await page.getByRole('link', { name: pressed, exact: true }).waitFor()
        await page.waitForTimeout(1_500) // what opening Home left behind must not be measured
        return await press(page, pressed)
      })
      rows.push(row(`runs-list ${name}: first rows`, 'ms', seen, { goal: '<= 500 ms', of_runs: COUNT }))
    }
    return rows
  } finally {
    await browser.close()
    await ours.end()
  }
}

/** Rows as after runs in the last 7 days, without their logs, which no list reads. */
async function fill(databaseUrl) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(
    `insert into console.recordings (id, workspace, deployment, thread, run, assistant, phase, outcome, started_by,
                                     started_at, ended_at, request, is_stateless, is_resumable)
     select gen_random_uuid(), 'local', md5('deployment ' || n % 50)::uuid::text, gen_random_uuid()::text,
            gen_random_uuid()::text, 'chat', 'ended', case when n % 20 = 0 then 'error' else 'success' end, 'API', at,
            at + interval '2 seconds', '{"input":{"messages":[{"role":"user","content":"Question ' || n || '"}]}}',
            false, true
     from (select n, now() - n * interval '7 days' / $1::int as at from generate_series(1, $1::int) n) made`,
    [COUNT],
  )
  await client.query('analyze console.recordings')
  await client.end()
}

/** Presses a link; done when the list has rows and they are drawn. */
const press = (page, name) =>
  page.evaluate(
    (label) =>
      new Promise((resolve) => {
        const link = [...document.querySelectorAll('a')].find((one) => one.textContent?.trim() === label)
        const began = performance.now()
        link?.click()
        const look = () => {
          if (document.querySelector('table[aria-label=Runs] tr[data-key]'))
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
          else requestAnimationFrame(look)
        }
        look()
      }),
    name,
  )

import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import type { Actor } from '../../access/actor'
import { insertWorkspace, NewWorkspace } from '../../access/workspace-settings'
import { db } from '../../process/db'
import { recordings } from '../../recorder/schema'
import { until } from '../../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../../testing'
import { adoptTracesPace } from '../../upstream/traces-exchange'
import { readRunRows } from './list'

// 400 traced runs, a minute apart. One search reads the newest 300 of them at most.
const NEWEST = Date.parse('2026-11-24T10:00:00Z')
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const startOf = (n: number) => new Date(NEWEST - n * 60_000).toISOString()
const TRACED = Array.from({ length: 400 }, (_, n) => ({
  ...{ id: idOf(n), session_id: idOf(7_000), start_time: startOf(n), end_time: startOf(n - 1) },
  inputs_preview: [50, 299, 300, 350].includes(n) ? 'Where is the heron?' : 'Good morning',
  extra: { metadata: { thread_id: idOf(9_000 + n), graph_id: 'agent' } },
}))
const record = { ...deploymentRecord(null), active_revision_id: SAMPLE_ID, tracing_project_id: idOf(7_000) }

/** A thread that waits for an answer, and its run, which the newest trace tells too. */
const ASKED = {
  ...{ run_id: idOf(0), thread_id: idOf(9_000), assistant_id: 'agent', status: 'interrupted', metadata: {} },
  ...{ created_at: startOf(0), updated_at: startOf(-1) },
}
const ASKING = { ...ASKED, metadata: { graph_id: 'agent' }, interrupts: { a: [{ value: 'Which?' }] } }
let isAsking = false
/** The newest traced run but one, which its server has deleted. */
const ROLLED_BACK = idOf(1)
const WORDS = 'Where do herons sleep, and what do they eat? '.repeat(4).trim()

type Query = { cursor?: string; limit: number; filter?: string; id?: string[] }

let home: TestConsole
let stub: StubUpstream
let actor: Actor
beforeAll(async () => {
  stub = await startStubUpstream(({ path, body }) => {
    const asks = isAsking ? [ASKING] : []
    if (path.includes('/threads/search')) return { body: asks }
    if (path.endsWith(`/runs/${ROLLED_BACK}`)) return { status: 404, body: { detail: 'Run not found' } }
    if (path.includes(`/runs/${ASKED.run_id}`))
      return { body: { ...ASKED, kwargs: { input: { topic: 'herons', n: 4 } } } }
    if (/\/threads\/[^/]+\/runs/.test(path)) return { body: [ASKED] }
    if (/deployments(\?|$)/.test(path)) return { body: { resources: [record], offset: 0 } }
    if (path.includes('/deployments/')) return { body: record }
    if (!path.includes('/runs/query')) return { status: 404, body: {} }
    const { cursor = '0', limit, filter, id } = JSON.parse(body) as Query
    if (id?.includes(ROLLED_BACK)) {
      const inputs = { messages: [{ role: 'user', content: WORDS }] }
      return { body: { runs: [{ ...TRACED[1], inputs }], cursors: {} } }
    }
    const before = /"(.+)"/.exec(filter ?? '')?.[1]
    const known = TRACED.filter((one) => !before || one.start_time < before)
    const end = Number(cursor) + limit
    const next = end < known.length ? String(end) : null
    return { body: { runs: known.slice(Number(cursor), end), cursors: { next } } }
  })
  record.source_config = { ...record.source_config, custom_url: stub.url }
  home = await testConsole()
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'deep', name: 'Deep', dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: stub.url, keys: { apiKey: 'key' }, traces: { url: `${stub.url}/api/v1`, apiKey: 'reads' } },
    }),
  )
  actor = await testActor({ deep: 'viewer' })
  adoptTracesPace({ limits: {}, patience: { waitMs: 20_000, backOffMs: 1_000 }, gatherMs: 0 })
})
afterAll(async () => {
  adoptTracesPace()
  await home.close()
  await stub.stop()
})

/** The runs of each page, until there are no more. */
async function pagesOf(query: object) {
  const pages: (string | null)[][] = []
  for (let after: string | null = null; pages.length < 20; ) {
    const page = await until(async () => {
      const found = await readRunRows('deep', { ...query, ...(after && { after }) }, actor)
      // A busy machine may be late; what it has read is given to the next reader.
      return found.looked?.problems.length === 0 && !found.looked.isPending && found
    }, 15_000)
    pages.push(page.rows.map(({ run }) => run))
    after = page.next
    if (!after) return pages
  }
  throw new Error('The pages do not end.')
}
const heron = { text: 'heron' }

test.each([{}, { deployment: SAMPLE_ID }])(
  'few matches among many traces are reached page by page: %j',
  async (place) => {
    const pages = await pagesOf({ ...heron, ...place })
    expect(pages.flat()).toEqual([50, 299, 300, 350].map(idOf))
    expect(pages.length).toBe(2)
    expect((await pagesOf({ text: 'nothing has this', ...place })).flat()).toEqual([])
  },
)

test('pages of many matches hold each run once', async () => {
  const all = (await pagesOf({ limit: 90 })).flat()
  expect(all).toEqual(TRACED.map(({ id }) => id))
})

test('what no trace can tell has no further pages', async () => {
  expect(await pagesOf({ status: 'waiting' })).toEqual([[]])
  expect(await pagesOf({ by: 'ada@example.com' })).toEqual([[]])
})

test('older recordings fill a page, and the runs between them that no trace has told yet come later', async () => {
  const row = {
    workspace: 'deep',
    deployment: SAMPLE_ID,
    assistant: 'agent',
    phase: 'ended',
    outcome: 'success',
  } as const
  const made = Array.from({ length: 4 }, (_, n) => ({
    ...row,
    ...{ id: idOf(8_000 + n), run: `recorded ${n}`, startedBy: 'ada@example.com', request: '{"input":"heron"}' },
    ...{ startedAt: new Date(NEWEST - (320 + n * 1_000) * 60_000), isStateless: false, isResumable: false },
  }))
  await (await db()).insert(recordings).values(made)
  const pages = await pagesOf({ ...heron, limit: 3 })
  expect(pages.flat().sort()).toEqual([...[50, 299, 300, 350].map(idOf), ...made.map(({ run }) => run)].sort())
})

test('a run that waits for an answer shows what it was asked as its server tells it, not as its trace previews it', async () => {
  isAsking = true
  const row = await until(async () => {
    const { rows } = await readRunRows('deep', { limit: 5 }, actor)
    const found = rows.find(({ run }) => run === ASKED.run_id)
    return found?.status === 'waiting' && found.input !== undefined && !found.input.includes('morning') && found
  }, 15_000)
  expect(row.input).toBe('{ "topic": "herons", "n": 4 }')
})

test('a run that was rolled back shows all that it was asked, though only its trace is left, which lists a preview', async () => {
  const row = await until(async () => {
    const { rows } = await readRunRows('deep', { limit: 5 }, actor)
    const found = rows.find(({ run }) => run === ROLLED_BACK)
    return found?.input !== undefined && !found.input.includes('morning') && found
  }, 15_000)
  expect(row.input).toBe(WORDS)
})

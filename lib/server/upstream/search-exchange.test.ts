import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { THREAD_EXTRACT } from '@/lib/stream/thread-rows'
import type { Actor } from '../access/actor'
import { insertDirectServer, NewDirectServer } from '../access/direct-servers'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from './call'
import { knownFeatures } from './known-features'

type Body = { ids?: string[]; select?: string[]; limit?: number; offset?: number; extract?: Record<string, string> }
const idOf = (n: number) => `6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f${String(n).padStart(4, '0')}`
const stored = Array.from({ length: 23 }, (_, n) => ({
  thread_id: idOf(n),
  status: 'idle',
  metadata: {},
  values: { messages: n === 3 ? [] : [{ content: `first of ${n}` }, { content: `last of ${n}` }], other: 1 },
}))
let home: TestConsole
let upstream: StubUpstream
let actor: Actor
let deploymentId: string
let bodies: Body[] = []

beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole()
  actor = await testActor({ npm: 'viewer' })
  await insertWorkspace(
    NewWorkspace.parse({ kind: 'direct', slug: 'npm', name: 'npm', dialect: 'auto', allowedOrigins: [] }),
  )
  deploymentId = (await insertDirectServer('npm', NewDirectServer.parse({ name: 'npm', url: upstream.url }))).id
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  // What a server refuses is remembered by its address.
  ;(globalThis as { pilothouseRefused?: unknown }).pilothouseRefused = undefined
  bodies = []
  // Like the npm server: `select` is honoured, `extract` is ignored.
  upstream.respondWith(({ body: text }) => {
    const body = JSON.parse(text) as Body
    bodies.push(body)
    const rows = stored.filter(({ thread_id }) => !body.ids || body.ids.includes(thread_id))
    const keys = body.select ?? ['thread_id', 'status', 'metadata', 'values']
    const chosen = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key))))
    return { body: chosen.slice(0, body.limit ?? 10) }
  })
})

const search = (body: object) => call(agentServer.searchThreads, { workspace: 'npm', deploymentId, body }, { actor })

test('a server that ignores extract is asked for the values of the rows, which never leave the console', async () => {
  const rows = await search({ limit: 25, select: ['thread_id', 'status'], extract: THREAD_EXTRACT })
  expect(rows).toHaveLength(23)
  expect(rows[2]?.extracted).toEqual({ first: { content: 'first of 2' }, last: { content: 'last of 2' } })
  // Without a human message, the console's server finds a title in the values.
  expect(rows[3]?.extracted).toEqual({ first: null, last: null, values_text: '{ "other": 1 }' })
  expect(rows[22]?.extracted).toMatchObject({ last: { content: 'last of 22' } })
  expect(JSON.stringify([rows[2], rows[22]])).not.toContain('other')
  expect(bodies.slice(1).map(({ ids }) => ids?.length)).toEqual([10, 10, 3])
})

test('nothing more is asked for without extract, without rows, or when the server extracts', async () => {
  await search({ limit: 25, select: ['thread_id'] })
  await search({ ids: [idOf(99)], extract: THREAD_EXTRACT })
  expect(bodies).toHaveLength(2)
  upstream.respondWith(({ body }) => {
    bodies.push(JSON.parse(body))
    return {
      body: [
        { thread_id: idOf(1), extracted: { first: 'its own' } },
        { thread_id: idOf(2), extracted: null },
      ],
    }
  })
  const rows = await search({ select: ['thread_id'], extract: THREAD_EXTRACT })
  expect(rows[0]?.extracted).toEqual({ first: 'its own' })
  expect(bodies).toHaveLength(3)
})

/** Refuses keys as pydantic does, ignores `ids`, and puts no values into its rows. */
function strictServer(refused: (body: Record<string, unknown>) => [string, string] | undefined) {
  const sent: string[] = []
  upstream.respondWith(({ method, path, body: text }) => {
    sent.push(method === 'GET' ? path : text)
    if (method === 'GET') {
      const one = stored.find(({ thread_id }) => path.endsWith(thread_id))
      return one ? { body: one } : { status: 404, body: { detail: 'Thread not found' } }
    }
    const body = JSON.parse(text)
    const [key, msg] = refused(body) ?? []
    if (key) return { status: 422, body: { detail: [{ type: 'value_error', loc: ['body', key], msg }] } }
    const rows = stored.map(({ values: _, ...row }) => row)
    return { body: rows.slice(body.offset ?? 0, (body.offset ?? 0) + (body.limit ?? 10)) }
  })
  return sent
}

test('values that leave the console are those that were asked for', async () => {
  const [all] = await search({ limit: 1 })
  expect(all?.values).toEqual(stored[0]?.values)
  const [chosen] = await search({ limit: 1, select: ['thread_id', 'values'], extract: THREAD_EXTRACT })
  expect(chosen?.values).toEqual(stored[0]?.values)
  // A server that ignores `select` returns them all, so that nothing more is asked for.
  bodies = []
  upstream.respondWith(({ body }) => {
    bodies.push(JSON.parse(body))
    return { body: stored.slice(0, 2) }
  })
  const rows = await search({ select: ['thread_id'], extract: THREAD_EXTRACT })
  expect(rows.map(({ values }) => values)).toEqual([undefined, undefined])
  expect(rows[1]?.extracted).toMatchObject({ first: { content: 'first of 1' } })
  expect(bodies).toHaveLength(1)
})

test('rows without values have no parts, unless their values can be asked for', async () => {
  upstream.respondWith(({ body }) => {
    bodies.push(JSON.parse(body))
    return { body: [{ thread_id: idOf(1) }] }
  })
  expect((await search({ extract: THREAD_EXTRACT }))[0]?.extracted).toBeUndefined()
  expect((await search({ select: ['thread_id', 'values'], extract: THREAD_EXTRACT }))[0]?.extracted).toBeUndefined()
  expect(bodies).toHaveLength(2)
})

test('the values of a full page are asked for in full pages', async () => {
  await search({ limit: 20, select: ['thread_id'], extract: THREAD_EXTRACT })
  expect(bodies.slice(1).map(({ ids }) => ids?.length)).toEqual([10, 10])
})

test.each<[string, unknown]>([
  ['values.other', 1],
  ['values', { other: 1, list: Array.from({ length: 13 }, (_, n) => n), deep: { er: true } }],
  ['values.list[12]', 12],
  ['values.list[-13]', 0],
  ['values.list[13]', null],
  ['values.deep.er', true],
  ['values.other[0]', null],
  ['values.other.deep.er', null],
  ['values.none.deep', null],
  ['values.toString', null],
])('the part at %s is the one there', async (path, expected) => {
  const list = Array.from({ length: 13 }, (_, n) => n)
  upstream.respondWith(() => ({ body: [{ thread_id: idOf(1), values: { other: 1, list, deep: { er: true } } }] }))
  expect((await search({ extract: { part: path } }))[0]?.extracted).toEqual({ part: expected })
})

test('values without messages give a preview too', async () => {
  const values = { topic: 'Rome', summary: 'Five days' }
  upstream.respondWith(() => ({ body: [{ thread_id: idOf(1), metadata: { assistant_id: 'a' }, values }] }))
  const asked = upstream.seen.length
  const [row] = await search({ extract: THREAD_EXTRACT })
  expect(upstream.seen.length - asked).toBe(1)
  expect(row?.extracted).toEqual({ first: null, last: null, values_text: 'Rome', values_preview: 'Five days' })
})

test.each<[string, unknown, string]>([
  ['a text', 'Sort\nthese', 'Sort these'],
  ['a list', ['plums', 'pears'], '[ "plums", "pears" ]'],
  ['messages', [{ role: 'user', content: 'What is due?' }], 'What is due?'],
])('a thread whose state keeps no input, here %s, is titled by its first run', async (what, input, title) => {
  const paths: string[] = []
  const thread_id = idOf(30 + title.length)
  const row = { thread_id, metadata: { graph_id: `function of ${what}` }, updated_at: '2026-01-01T00:00:00Z' }
  upstream.respondWith(({ path }) => {
    paths.push(path)
    if (path.includes('/schemas'))
      return { body: { graph_id: 'f', input_schema: { type: 'array' }, output_schema: {} } }
    if (!path.includes('/runs')) return { body: [{ ...row, values: 'sorted', extracted: { first: null, last: null } }] }
    const run = { run_id: idOf(2), thread_id, status: 'success', metadata: {} }
    return {
      body: [
        { ...run, kwargs: { input: 'later' } },
        { ...run, kwargs: { input } },
      ],
    }
  })
  for (const reads of [3, 4]) {
    const [found] = await search({ select: ['thread_id', 'metadata', 'updated_at'], extract: THREAD_EXTRACT })
    expect(found?.extracted).toEqual({ first: null, last: null, values_text: title })
    expect(paths).toHaveLength(reads) // what is known of an unchanged thread is not read again
  }
})

test('keys that a server refuses are left out from then on, and a time it cannot sort by is replaced', async () => {
  const sent = strictServer((body) => {
    if (body.select) return ['select', 'Value error, select projection is not supported']
    if (body.extract) return ['extract', 'Extra inputs are not permitted']
    if (body.sort_by === 'state_updated_at') return ['sort_by', "Input should be 'created_at' or 'updated_at'"]
    return undefined
  })
  const body = {
    limit: 5,
    sort_by: 'state_updated_at',
    sort_order: 'desc',
    select: ['thread_id'],
    extract: THREAD_EXTRACT,
  }
  expect(await search(body)).toHaveLength(5)
  const reduced = { limit: 5, sort_by: 'updated_at', sort_order: 'desc' }
  expect(JSON.parse(sent.at(-1) ?? '')).toEqual(reduced)
  sent.length = 0
  await search(body)
  expect(sent.map((text) => JSON.parse(text))).toEqual([reduced])
  await search({ ...body, sort_by: 'created_at' })
  expect(JSON.parse(sent.at(-1) ?? '')).toMatchObject({ sort_by: 'created_at' })
})

test('a page that is too large for a server is read in several, and ids that it ignores one by one', async () => {
  const sent = strictServer(({ limit }) =>
    Number(limit) > 8 ? ['limit', 'Input should be less than or equal to 8'] : undefined,
  )
  const rows = await search({ limit: 20, offset: 1 })
  expect(rows.map(({ thread_id }) => thread_id)).toEqual(stored.slice(1, 21).map(({ thread_id }) => thread_id))
  expect(sent.slice(1).map((text) => JSON.parse(text))).toEqual([
    { limit: 8, offset: 1 },
    { limit: 8, offset: 9 },
    { limit: 4, offset: 17 },
  ])
  const [one, ...others] = await search({ ids: [idOf(7), idOf(99)], limit: 1, select: ['thread_id'] })
  expect(others).toEqual([])
  expect(one).toMatchObject({ thread_id: idOf(7) })
  expect(one?.values).toBeUndefined()
})

test('a page is read only as far as there are rows, and no further than asked', async () => {
  const sent = strictServer(({ limit }) => (Number(limit) > 8 ? ['limit', 'Input should be at most 8'] : undefined))
  expect(await search({ limit: 30 })).toHaveLength(23)
  expect(sent.slice(1).map((text) => JSON.parse(text).offset ?? 0)).toEqual([0, 8, 16])
  sent.length = 0
  expect(await search({ limit: 16 })).toHaveLength(16)
  expect(sent).toHaveLength(2)
  expect(await search({})).toHaveLength(10)
  expect(sent).toHaveLength(3)
})

test('of ids that a server ignores, those with the status asked for are found, and failures are told', async () => {
  strictServer(() => undefined)
  const found = async (status: string) => (await search({ ids: [idOf(1), idOf(2)], status })).length
  expect([await found('idle'), await found('busy')]).toEqual([2, 0])
  upstream.respondWith(({ method }) => (method === 'GET' ? { status: 500, body: '' } : { body: stored }))
  await expect(search({ ids: [idOf(1)] })).rejects.toMatchObject({ code: 'upstream_failed' })
})

test('a server that honours ids is asked once', async () => {
  expect(await search({ ids: [idOf(1), idOf(2)] })).toHaveLength(2)
  expect(bodies).toHaveLength(1)
})

test('a server that refuses each smaller page is asked five times', async () => {
  const sent = strictServer(({ limit }) => ['limit', `Input should be less than or equal to ${Number(limit) - 1}`])
  await expect(search({ limit: 50 })).rejects.toMatchObject({ code: 'invalid' })
  expect(sent.map((text) => JSON.parse(text).limit)).toEqual([50, 49, 48, 47, 46])
})

test('other refusals stay refusals', async () => {
  const sent = strictServer(() => ['metadata', 'Input should be a valid dictionary'])
  await expect(search({ limit: 1 })).rejects.toMatchObject({ code: 'invalid' })
  expect(sent).toHaveLength(1)
})

test('a thread is idle after a cancel, which Python servers say only in its whole record; it is read once', async () => {
  const cancelled = { error: 'UserInterrupt', message: 'interrupt requested' }
  const threads = [
    { thread_id: idOf(1), status: 'interrupted', interrupts: {}, error: cancelled },
    { thread_id: idOf(2), status: 'interrupted', interrupts: {}, error: null },
    { thread_id: idOf(3), status: 'interrupted', interrupts: { t: [{ id: 'i', value: 'Shall it?' }] }, error: null },
    { thread_id: idOf(4), status: 'idle', interrupts: {}, error: null },
  ].map((thread) => ({ ...thread, updated_at: '2026-11-25T17:00:00Z', metadata: {} }))
  const asked: Body[] = []
  upstream.respondWith(({ body: text }) => {
    const body = JSON.parse(text) as Body
    asked.push(body)
    if (body.select?.includes('error')) return { status: 422, body: { detail: '"error" is not one of "thread_id"' } }
    const rows = threads.filter(({ thread_id }) => !body.ids || body.ids.includes(thread_id))
    const keys = body.select
    return {
      body: keys
        ? rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key))))
        : rows,
    }
  })
  const statuses = async (select?: string[]) => (await search({ limit: 10, select })).map(({ status }) => status)
  const expected = ['idle', 'interrupted', 'interrupted', 'idle']
  expect(await statuses(['thread_id', 'status'])).toEqual(expected)
  expect(asked[1]).toEqual({ ids: [idOf(1), idOf(2)], limit: 2 })
  expect(await statuses(['thread_id', 'status'])).toEqual(expected)
  expect(asked).toHaveLength(3)
  expect(await statuses()).toEqual(expected)
  expect((await search({ limit: 10, select: ['thread_id', 'status'] }))[2]).not.toHaveProperty('interrupts')
})

test('a cron of a server that only lists crons is found in the list, and the server has crons', async () => {
  const crons = Array.from({ length: 120 }, (_, n) => ({ cron_id: `cron ${n}`, schedule: '0 9 * * *', metadata: {} }))
  upstream.respondWith(({ method, body }) => {
    if (method === 'GET') return { status: 405, body: { detail: 'Method Not Allowed' } }
    const { limit, offset } = JSON.parse(body)
    return { body: crons.slice(offset, offset + limit) }
  })
  const place = { workspace: 'npm', deploymentId }
  const read = (cron_id: string) => call(agentServer.getCron, { ...place, params: { cron_id } }, { actor })
  expect(await read('cron 110')).toMatchObject({ cron_id: 'cron 110' })
  expect(knownFeatures(place).get('crons')).toEqual({ state: 'yes' })
  const asked = upstream.seen.length
  await expect(read('cron 120')).rejects.toMatchObject({ code: 'not_found', view: { upstreamStatus: 404 } })
  expect(upstream.seen.length - asked).toBe(3) // the cron, and both pages
  upstream.respondWith(() => ({ status: 405, body: '' }))
  await expect(read('cron 1')).rejects.toMatchObject({ code: 'unsupported' })
})

test.each([
  ['a cron that is not there', 404, { detail: 'Cron not found' }, 'not_found'],
  ['a server that fails', 500, '', 'upstream_failed'],
])('%s is not looked for in the list', async (_, status, body, code) => {
  upstream.respondWith(() => ({ status, body }))
  const asked = upstream.seen.length
  const read = call(agentServer.getCron, { workspace: 'npm', deploymentId, params: { cron_id: 'c' } }, { actor })
  await expect(read).rejects.toMatchObject({ code })
  expect(upstream.seen.length - asked).toBe(1)
})

test('a cron is looked for among the first thousand', async () => {
  const page = Array.from({ length: 100 }, (_, n) => ({ cron_id: `${n}`, schedule: '0 9 * * *', metadata: {} }))
  upstream.respondWith(({ method }) => (method === 'GET' ? { status: 405, body: '' } : { body: page }))
  const asked = upstream.seen.length
  const read = call(agentServer.getCron, { workspace: 'npm', deploymentId, params: { cron_id: 'c' } }, { actor })
  await expect(read).rejects.toMatchObject({ code: 'not_found' })
  expect(upstream.seen.length - asked).toBe(1 + 10)
})

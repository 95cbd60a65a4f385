import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { startStubUpstream } from '@/e2e/support/stub-upstream'
import { type AssistantDraft, type AssistantOutcome, draftOf } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { Result } from '@/lib/errors'
import { parseJson, printJson } from '@/lib/json/lossless'
import { insertDirectServer } from '@/lib/server/access/direct-servers'
import { listAssistantChanges } from '@/lib/server/records/changes'
import { testAgentConsole } from '@/lib/server/resources/testing'
import { signIn } from '@/lib/server/testing'
import { activateVersion, createAssistant, deleteAssistant, saveAssistant } from './assistants'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
// Against the embedded agent server, over a connection that the test can break.
const { server, wire, at, developer, viewer, close } = await testAgentConsole()
afterAll(close)
beforeEach(async () => {
  await signIn(developer)
  await wire.set(null)
})

let keys = 0
const newKey = () => `key-of-test-${keys++}`
const EMPTY: AssistantDraft = { name: 'One', description: '', context: {}, config: {}, metadata: {} }
const stored = async (id: string): Promise<Assistant> =>
  parseJson((await server.get(`/assistants/${id}`)).text) as Assistant
const recordOf = (result: Result<AssistantOutcome>): Assistant => {
  if (!result.ok || result.data.kind !== 'saved') throw new Error(JSON.stringify(result))
  return parseJson(result.data.assistant) as Assistant
}
const create = async (more: Partial<AssistantDraft> = {}, key = newKey()) =>
  recordOf(await createAssistant({ ...at, key, graph: 'counter', draft: printJson({ ...EMPTY, ...more }) }))
const save = (assistant: Assistant, change: Partial<AssistantDraft>, key = newKey(), base = draftOf(assistant)) =>
  saveAssistant({
    place: { ...at, assistant: assistant.assistant_id },
    key,
    base: printJson(base),
    draft: printJson({ ...base, ...change }),
  })
const thirty = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field_${index}`, { nested: index }]))

test('changing one of thirty fields keeps the other twenty-nine, including odd keys', async () => {
  const big = parseJson('{"text":"12345678901234567890","__proto__":{"x":1}}')
  const made = await create({ context: { ...thirty, big } })
  const result = await save(made, { context: { ...made.context, field_7: 'other' } })
  expect(recordOf(result).version).toBe(2)
  const now = await stored(made.assistant_id)
  expect(printJson(now.context)).toBe(printJson(recordOf(result).context))
  expect(now.context).toMatchObject({ ...thirty, field_7: 'other' })
  expect(printJson(now.context.big)).toContain('__proto__')
  // Changing only the name keeps the context too.
  await save(now, { name: 'Two' })
  expect((await stored(made.assistant_id)).context).toEqual(now.context)
})

test('a concurrent edit is a conflict that shows the current assistant, and nothing is sent', async () => {
  const made = await create({ context: { label: 'a', other: 1 } })
  expect((await save(made, { context: { label: 'b', other: 1 } })).ok).toBe(true)
  const late = await save(made, { context: { label: 'a', other: 2 } })
  expect(late).toMatchObject({ ok: true, data: { kind: 'conflict', now: expect.stringContaining('"label":"b"') } })
  expect(await stored(made.assistant_id)).toMatchObject({ version: 2, context: { label: 'b', other: 1 } })
  // The same change is not a conflict and creates no version.
  expect(recordOf(await save(made, { context: { label: 'b', other: 1 } })).version).toBe(2)
})

test('a double click creates one assistant or version, and a repeat gets the first result', async () => {
  const key = newKey()
  const [one, two] = await Promise.all([create({ name: 'Twice' }, key), create({ name: 'Twice' }, key)])
  expect(one.assistant_id).toBe(two.assistant_id)
  expect((await server.post('/assistants/search', { name: 'Twice' })).json).toHaveLength(1)
  const edit = newKey()
  const versions = await Promise.all([save(one, { name: 'Thrice' }, edit), save(one, { name: 'Thrice' }, edit)])
  expect(versions.map((result) => recordOf(result).version)).toEqual([2, 2])
})

test.each([
  ['a lost response', { kind: 'reset', afterBytes: 0, isDelivered: true } as const],
  ['a response cut in two', { kind: 'truncate', afterBytes: 20 } as const],
])('after %s the outcome is looked up', async (_, fault) => {
  const key = newKey()
  const made = await create({ name: 'Lost' })
  await wire.set(fault, 1, /^PATCH /)
  const result = await save(made, { context: { label: 'late' } })
  expect(recordOf(result)).toMatchObject({ version: 2, context: { label: 'late' } })
  await wire.set(fault, 1)
  const created = await createAssistant({
    ...at,
    key,
    graph: 'counter',
    draft: printJson({ ...EMPTY, name: `Late ${_}` }),
  })
  await wire.set(null)
  expect(recordOf(created).name).toBe(`Late ${_}`)
  expect((await server.post('/assistants/search', { name: `Late ${_}` })).json).toHaveLength(1)
})

test('an earlier version can be activated and undone, and runs use the active one', async () => {
  const made = await create({ context: { label: 'one' } })
  const place = { ...at, assistant: made.assistant_id }
  await save(made, { context: { label: 'two' } })
  const back = await activateVersion({ place, key: newKey(), version: 1, expectedVersion: 2 })
  expect(recordOf(back)).toMatchObject({ version: 1, context: { label: 'one' } })
  const thread = await server.newThread()
  const run = await server.post(`/threads/${thread}/runs/wait`, {
    assistant_id: made.assistant_id,
    input: { until: 1 },
  })
  expect(run.json.log).toEqual(['one 1'])
  expect(await activateVersion({ place, key: newKey(), version: 2, expectedVersion: 2 })).toMatchObject({
    ok: false,
    error: { code: 'conflict', message: expect.stringContaining('Someone else activated version 1') },
  })
  expect(recordOf(await activateVersion({ place, key: newKey(), version: 2, expectedVersion: 1 })).version).toBe(2)
  expect(await activateVersion({ place, key: newKey(), version: 9, expectedVersion: 2 })).toMatchObject({
    ok: false,
    error: { code: 'not_found' },
  })
})

test('a server that activates a version without its content is noticed, and the content can be saved', async () => {
  const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
  const id = '0a6f9c1e-0000-4000-8000-000000000001'
  const record = { assistant_id: id, graph_id: 'counter', name: 'One', config: {}, metadata: {}, ...times }
  const versionOf = (version: number, label: string) => ({ ...record, version, context: { label } })
  let now = versionOf(2, 'of 2')
  const versions = [now, versionOf(1, 'of 1')]
  // As version 1.5.1 of the in-memory server: only the number changes.
  const stub = await startStubUpstream(({ method, path, body }) => {
    if (path.endsWith('/versions')) return { body: versions }
    if (path.endsWith('/latest')) now = { ...now, version: JSON.parse(body).version }
    if (method === 'PATCH') now = { ...now, ...JSON.parse(body), version: 3 }
    return { body: now }
  })
  try {
    const { id: deploymentId } = await insertDirectServer('tests', { name: 'keeps-context', url: stub.url })
    const place = { workspace: 'tests', deploymentId, assistant: id }
    const done = await activateVersion({ place, key: newKey(), version: 1, expectedVersion: 2 })
    expect(recordOf(done)).toMatchObject({ version: 1, context: { label: 'of 2' } })
    if (!done.ok || done.data.kind !== 'saved' || !done.data.differs) throw new Error('The difference was not noticed.')
    expect(done.data.differs.fields).toEqual(['context'])
    const base = printJson(draftOf(recordOf(done)))
    const saved = await saveAssistant({ place, key: newKey(), base, draft: done.data.differs.wanted })
    expect(recordOf(saved)).toMatchObject({ version: 3, context: { label: 'of 1' } })
  } finally {
    await stub.stop()
  }
})

test('a refusal names the field', async () => {
  const made = await create()
  expect(await save(made, { context: { label: 7 } })).toMatchObject({
    ok: false,
    error: { code: 'invalid', fields: [{ path: ['context', 'label'] }] },
  })
  expect(await save({ ...made, metadata: { team: 'a' } }, { metadata: {} })).toMatchObject({
    ok: false,
    error: { fields: [{ path: ['metadata', 'team'] }] },
  })
  expect(await save(made, { context: { token: '[redacted]' } })).toMatchObject({
    ok: false,
    error: { fields: [{ path: ['context'] }] },
  })
  expect(await stored(made.assistant_id)).toMatchObject({ version: 1 })
})

test('deleting removes all versions, but default assistants cannot be deleted', async () => {
  const made = await create()
  const place = { ...at, assistant: made.assistant_id }
  const key = newKey()
  expect(await deleteAssistant({ place, key, deletesThreads: false })).toMatchObject({ ok: true })
  expect((await server.get(`/assistants/${made.assistant_id}`)).status).toBe(404)
  expect(await deleteAssistant({ place, key: newKey(), deletesThreads: false })).toMatchObject({ ok: true })
  const [standard] = (
    await server.post('/assistants/search', { graph_id: 'counter', metadata: { created_by: 'system' } })
  ).json
  const refused = await deleteAssistant({
    place: { ...at, assistant: standard.assistant_id },
    key: newKey(),
    deletesThreads: false,
  })
  expect(refused).toMatchObject({ ok: false, error: { code: 'conflict' } })
})

test('versions made here name their author, and viewers cannot make any', async () => {
  const made = await create()
  await save(made, { name: 'By me' })
  const place = { ...at, assistant: made.assistant_id }
  const changes = await listAssistantChanges(viewer, place)
  expect(changes.find(({ operation }) => operation === 'updateAssistant')).toMatchObject({ who: developer.email })
  await signIn(viewer)
  expect(await save(made, { name: 'No' })).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  expect(await createAssistant({ ...at, key: newKey(), graph: 'counter', draft: printJson(EMPTY) })).toMatchObject({
    ok: false,
    error: { code: 'forbidden' },
  })
  expect(await deleteAssistant({ place, key: newKey(), deletesThreads: true })).toMatchObject({
    ok: false,
    error: { code: 'forbidden' },
  })
  expect(await activateVersion({ place, key: newKey(), version: 1, expectedVersion: 2 })).toMatchObject({
    ok: false,
    error: { code: 'forbidden' },
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import {
  continueExperiment,
  deleteInputSet,
  ratePair,
  type StartExperiment,
  saveInputSet,
  startExperiment,
  stopExperiment,
} from '@/lib/actions/experiments'
import type { Actor } from '@/lib/server/access/actor'
import { signIn } from '@/lib/server/testing'
import { type Experiment, messageInput, type Subject } from '@/lib/stream/experiments'
import { db } from '../process/db'
import { experimentPairs, experiments } from '../process/schema'
import { recorderHub } from '../recorder/shared-hub'
import { until } from '../recorder/testing'
import { listExperiments } from '../records/experiments'
import { readRunRows } from '../resources/runs/list'
import { testAgentConsole } from '../resources/testing'
import { exportExperiment } from './export'
import { readExperiment } from './run'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
vi.setConfig({ testTimeout: 60_000 })
/** Less than a test may take, so that a failure says what was waited for. */
const LONG_MS = 50_000

// Against the embedded agent server, over a wire that can break.
const { server, wire, at, developer, viewer, close } = await testAgentConsole()
let actor: Actor
beforeEach(async () => {
  actor = await signIn(developer)
})
afterAll(async () => {
  await recorderHub().stop()
  await close()
})

const { workspace, deploymentId } = at
let keys = 0
const subject = (assistant: string, version: number | null = null): Subject => ({
  ...{ deployment: deploymentId, deploymentName: 'scripted', assistant, name: assistant, version, revision: null },
})
const start = async (change: Partial<StartExperiment> = {}): Promise<string> => {
  const made = { workspace, name: 'Greetings', key: `key-${keys++}-of-test`, checks: [], ...change }
  const result = await startExperiment({
    ...{ subjects: [subject('chat')], inputs: [messageInput('Hello')] },
    ...made,
  })
  if (!result.ok) throw new Error(result.error.message)
  return result.data
}
const read = (id: string) => readExperiment(actor, { workspace, id })
const ended = (id: string): Promise<Experiment> =>
  until(async () => {
    const found = await read(id)
    return !found.isRunning && found.pairs.every(({ state }) => state !== 'running' && state !== 'waiting') && found
  }, LONG_MS)
const facts = ({ pairs }: Experiment) => pairs.map(({ subject, input, state }) => `${subject}${input} ${state}`)

test('each assistant runs on each input on its own thread, as recorded runs with results and checks', async () => {
  const subjects = [subject('chat'), subject('nested')]
  const inputs = [messageInput('Hello'), messageInput('Good night')]
  const checks: StartExperiment['checks'] = [
    { kind: 'contains', text: 'you said' },
    { kind: 'equals', path: 'messages[0].content', value: '"Hello"' },
    { kind: 'regex', pattern: '(night|Hello)$' },
    { kind: 'latency', ms: 60_000 },
  ]
  const key = 'the-same-key-twice'
  const id = await start({ subjects, inputs, checks, key })
  expect(await start({ subjects, inputs, checks, key })).toBe(id)
  const found = await ended(id)
  expect(facts(found)).toEqual(['00 ended', '10 ended', '01 ended', '11 ended'])
  const [first, , second] = found.pairs
  expect(first?.result).toMatchObject({ outcome: 'success', output: 'You said: Hello', run: expect.any(String) })
  expect(first?.result?.latencyMs).toBeGreaterThanOrEqual(0)
  expect(first?.checks.map(({ isPassed }) => isPassed)).toEqual([true, true, true, true])
  expect(second?.checks.map(({ isPassed }) => isPassed)).toEqual([true, false, true, true])
  const { rows } = await readRunRows(workspace, { source: 'recorded' }, actor)
  expect(rows.map(({ recording }) => recording).sort()).toEqual(found.pairs.map(({ recording }) => recording).sort())
  expect(new Set(rows.map(({ thread }) => thread)).size).toBe(4)
  const listed = await listExperiments(actor, workspace)
  expect(listed).toMatchObject([{ id, inputs: 2, done: 4, total: 4 }])
  const counted = async (asked: { offset?: number; search?: string }) =>
    (await listExperiments(actor, workspace, asked)).length
  const part = listed[0]?.name.slice(1).toUpperCase()
  expect([await counted({ search: part }), await counted({ search: '%' }), await counted({ offset: 1 })]).toEqual([
    1, 0, 0,
  ])
})

test('two versions of an assistant run with their own settings, and the active one stays', async () => {
  const made = await server.post('/assistants', { graph_id: 'chat', name: 'Tuned', config: { tags: ['one'] } })
  const assistant: string = made.json.assistant_id
  await server.request('PATCH', `/assistants/${assistant}`, { config: { tags: ['two'] } })
  const id = await start({ subjects: [subject(assistant, 1), subject(assistant, 2)] })
  const { pairs } = await ended(id)
  const tags = await Promise.all(
    pairs.map(async ({ result, recording }) => {
      const { rows } = await readRunRows(workspace, { source: 'recorded', runs: result?.run ?? '' }, actor)
      const { json } = await server.get(`/threads/${rows.find((row) => row.recording === recording)?.thread}/runs`)
      return json[0].kwargs.config.tags
    }),
  )
  expect(tags).toEqual([['one'], ['two']])
  expect((await server.get(`/assistants/${assistant}`)).json.version).toBe(2)
  await expect(start({ subjects: [subject(assistant, 9)] })).rejects.toThrow('has no version 9')
})

/** What the server was asked to run, in the order of the pairs. */
const asked = ({ pairs }: Experiment) =>
  Promise.all(
    pairs.map(async ({ result }) => {
      const { rows } = await readRunRows(workspace, { source: 'recorded', runs: result?.run ?? '' }, actor)
      const run = rows.find((row) => row.run === result?.run)
      return (await server.get(`/threads/${run?.thread}/runs`)).json[0].kwargs
    }),
  )

test('each column runs with its options, which are kept with the experiment and exported', async () => {
  const options =
    '{"config":{"recursion_limit":7,"tags":["hot"]},"durability":"exit","metadata":{"n":12345678901234567890}}'
  const subjects = [subject('chat'), { ...subject('chat'), title: 'Hot', options }]
  const id = await start({ subjects })
  const found = await ended(id)
  expect(found.subjects).toEqual(subjects)
  const [plain, hot] = await asked(found)
  expect(plain.config?.recursion_limit).not.toBe(7)
  expect(hot).toMatchObject({ config: { recursion_limit: 7, tags: ['hot'] }, durability: 'exit' })
  const file = async (format: string) =>
    (
      await exportExperiment(new Request(`http://console/x?format=${format}`), { workspace, id }, async () => actor)
    ).text()
  expect(await file('csv')).toContain(`"Hot","${options.replaceAll('"', '""')}"`)
  expect(await file('jsonl')).toContain(`"label":"Hot"`)
  expect(await file('jsonl')).toContain(options)
  // A list names its columns, and needs no more of them.
  const [listed] = await listExperiments(actor, workspace)
  expect(listed?.subjects[1]).toMatchObject({ title: 'Hot' })
  expect(listed?.subjects[1]).not.toHaveProperty('options')
})

test('the options of a column are added to the settings of its version, as servers add them', async () => {
  const made = await server.post('/assistants', { graph_id: 'chat', config: { tags: ['one'], recursion_limit: 9 } })
  const options = '{"config":{"tags":["two"],"configurable":{"a":1}}}'
  const id = await start({ subjects: [{ ...subject(made.json.assistant_id, 1), options }] })
  const [run] = await asked(await ended(id))
  expect(run.config).toMatchObject({ tags: ['one', 'two'], recursion_limit: 9, configurable: { a: 1 } })
})

test.each([
  ['{', 'not valid JSON'],
  ['{"input":1}', 'input'],
  ['{"config":{"recursion_limit":0}}', 'Too small'],
  ['{"config":{"configurable":{"api_key":"k"}}}', 'no credentials'],
])('the options %s are refused before anything is stored', async (options, message) => {
  const subjects = [{ ...subject('chat'), options }]
  const result = await startExperiment({
    workspace,
    name: 'x',
    key: 'refused-key',
    subjects,
    inputs: ['{}'],
    checks: [],
  })
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'invalid', fields: [{ message: expect.stringContaining(message) }] },
  })
  expect(result.ok || result.error.fields[0]?.path.slice(0, 3)).toEqual(['subjects', 0, 'options'])
})

test('a version with a credential that the console may not read is refused, not run with a mask', async () => {
  const config = { configurable: { api_key: 'a-secret-of-the-assistant' } }
  const made = await server.post('/assistants', { graph_id: 'chat', config })
  await expect(start({ subjects: [subject(made.json.assistant_id, 1)] })).rejects.toThrow('holds a credential')
})

test('what could not be started is named, and is started on demand', async () => {
  await wire.set({ kind: 'down' })
  const subjects = [subject('chat')]
  const id = await start({ subjects, inputs: [messageInput('One'), messageInput('Two')] })
  const broken = await ended(id)
  expect(facts(broken)).toEqual(['00 failed', '01 failed'])
  expect(broken.pairs[0]).toMatchObject({ recording: null, error: expect.stringMatching(/\w/) })
  expect((await listExperiments(actor, workspace))[0]).toMatchObject({ id, done: 0, total: 2 })
  await wire.set(null)
  expect(await continueExperiment({ workspace, id })).toMatchObject({ ok: true })
  expect(facts(await ended(id))).toEqual(['00 ended', '01 ended'])
})

test('after a crash, runs that ended meanwhile get their results, and the rest says that it was not started', async () => {
  const id = await start({ inputs: [messageInput('One'), messageInput('Two'), messageInput('Three')] })
  await ended(id)
  // As the crash left it: one run followed by nobody, one start lost, one never begun.
  const store = await db()
  const { eq, and } = await import('drizzle-orm')
  const isPair = (input: number) => and(eq(experimentPairs.experiment, id), eq(experimentPairs.input, input))
  await store.update(experimentPairs).set({ state: 'running', result: null }).where(isPair(0))
  await store.update(experimentPairs).set({ state: 'running', result: null, recording: null }).where(isPair(1))
  await store.update(experimentPairs).set({ state: 'waiting', result: null, recording: null }).where(isPair(2))
  await store
    .update(experiments)
    .set({ runningUntil: new Date(0) })
    .where(eq(experiments.id, id))
  const found = await read(id)
  expect(facts(found)).toEqual(['00 ended', '01 waiting', '02 waiting'])
  expect(found).toMatchObject({ isRunning: false, pairs: [{ result: { output: 'You said: One' } }, {}, {}] })
  await continueExperiment({ workspace, id })
  expect((await ended(id)).pairs.map(({ result }) => result?.output)).toEqual([
    'You said: One',
    'You said: Two',
    'You said: Three',
  ])
})

test('a run whose recording has expired unread ends as unknown, and the rest is started', async () => {
  const checks = [{ kind: 'contains' as const, text: 'said' }]
  const id = await start({ inputs: [messageInput('One'), messageInput('Two')], checks })
  await ended(id)
  const store = await db()
  const { eq, and } = await import('drizzle-orm')
  const isPair = (input: number) => and(eq(experimentPairs.experiment, id), eq(experimentPairs.input, input))
  const recording = crypto.randomUUID()
  await store.update(experimentPairs).set({ state: 'running', result: null, recording }).where(isPair(0))
  await store.update(experimentPairs).set({ state: 'waiting', result: null, recording: null }).where(isPair(1))
  await store
    .update(experiments)
    .set({ runningUntil: new Date(0) })
    .where(eq(experiments.id, id))
  expect(await continueExperiment({ workspace, id })).toMatchObject({ ok: true })
  const [lost, other] = (await ended(id)).pairs
  expect(lost).toMatchObject({
    state: 'ended',
    result: { outcome: 'unknown', error: expect.stringContaining('expired') },
  })
  // Nobody knows what it answered.
  expect(lost?.checks).toEqual([])
  expect(other).toMatchObject({ state: 'ended', result: { output: 'You said: Two' }, checks: [{ isPassed: true }] })
  // The same if only the page reads it.
  await store.update(experimentPairs).set({ state: 'running', result: null, recording }).where(isPair(0))
  expect((await read(id)).pairs[0]).toMatchObject({ state: 'ended', result: { outcome: 'unknown' } })
})

test('a stopped experiment starts nothing more', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-stopped-'))
  const file = path.join(folder, 'steps')
  const hold = `${file}.hold-after-0`
  writeFileSync(hold, '')
  const inputs = Array.from({ length: 12 }, () => JSON.stringify({ until: 1, file }))
  const id = await start({ subjects: [subject('counter')], inputs })
  expect(await stopExperiment({ workspace, id })).toMatchObject({ ok: true })
  rmSync(hold)
  const found = await until(async () => {
    const now = await read(id)
    return !now.isRunning && now
  }, LONG_MS)
  rmSync(folder, { recursive: true })
  expect(found.isStopped).toBe(true)
  expect(found.pairs.filter(({ state }) => state === 'waiting').length).toBeGreaterThanOrEqual(8)
  expect(found.pairs.filter(({ state }) => state === 'running')).toEqual([])
})

test('a run that asked needs input until it is answered, also elsewhere and after its result was read', async () => {
  const id = await start({ subjects: [subject('approval')], inputs: ['{"topic":"x"}', '{"topic":"y"}'] })
  const outcomes = (found: Experiment) => found.pairs.map(({ result }) => result?.outcome)
  const found = await ended(id)
  expect(outcomes(found)).toEqual(['waiting', 'waiting'])
  const runs = found.pairs.map(({ result }) => result?.run).join(',')
  const { rows } = await readRunRows(workspace, { source: 'recorded', runs }, actor)
  const { thread } = rows.find(({ run }) => run === found.pairs[0]?.result?.run) ?? {}
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'approval', command: { resume: 'yes' } })
  await until(async () => outcomes(await read(id)).includes('continued'), LONG_MS)
  expect(outcomes(await read(id))).toEqual(['continued', 'waiting'])
})

test('ratings are kept, and exports hold everything without running formulas', async () => {
  const id = await start({ inputs: [messageInput('=cmd()')], checks: [{ kind: 'contains', text: 'nothing' }] })
  await ended(id)
  const rating = { place: { workspace, id }, subject: 0, input: 0, thumb: -1 as const, note: '+not what was asked' }
  expect(await ratePair(rating)).toMatchObject({ ok: true, data: { isTraced: false } })
  expect((await read(id)).pairs[0]).toMatchObject({ thumb: -1, note: '+not what was asked', ratedBy: developer.email })
  const file = async (format: string) =>
    (
      await exportExperiment(new Request(`http://console/x?format=${format}`), { workspace, id }, async () => actor)
    ).text()
  const csv = await file('csv')
  expect(csv).toContain(`"'=cmd()","chat","","scripted","ended","success","You said: =cmd()"`)
  expect(csv).toContain(`"false","Does not contain “nothing”","down","'+not what was asked"`)
  expect(JSON.parse(await file('jsonl'))).toMatchObject({
    input: { messages: [{ content: '=cmd()' }] },
    thumb: -1,
    result: { output: 'You said: =cmd()' },
    checks: [{ kind: 'contains', isPassed: false }],
  })
})

test('viewers read, and start, rate and save nothing', async () => {
  const id = await start()
  await ended(id)
  actor = await signIn(viewer)
  expect((await read(id)).pairs).toHaveLength(1)
  const refused = { ok: false, error: { code: 'forbidden' } }
  const place = { workspace, id }
  const asked = { workspace, name: 'x', key: 'another-key', subjects: [subject('chat')], inputs: ['{}'], checks: [] }
  expect(await startExperiment(asked)).toMatchObject(refused)
  expect(await continueExperiment(place)).toMatchObject(refused)
  expect(await stopExperiment(place)).toMatchObject(refused)
  expect(await ratePair({ place, subject: 0, input: 0, thumb: 1, note: '' })).toMatchObject(refused)
  expect(await saveInputSet({ workspace, name: 'x', inputs: ['{}'] })).toMatchObject(refused)
})

test('input sets are saved under a name, replaced and deleted', async () => {
  const save = (name: string, inputs: string[]) => saveInputSet({ workspace, name, inputs })
  expect(await save('Basics', ['{"a":1}'])).toMatchObject({ ok: true, data: [{ name: 'Basics' }] })
  const saved = await save('basics', ['{"a":2}', '{"a":3}'])
  expect(saved).toMatchObject({ ok: true, data: [{ name: 'basics', inputs: ['{"a":2}', '{"a":3}'] }] })
  expect(await save('', ['{}'])).toMatchObject({ ok: false, error: { code: 'invalid' } })
  expect(await save('x', ['{'])).toMatchObject({ ok: false, error: { code: 'invalid' } })
  const id = saved.ok ? (saved.data[0]?.id ?? '') : ''
  expect(await deleteInputSet({ workspace, id })).toMatchObject({ ok: true, data: [] })
})

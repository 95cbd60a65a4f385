import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { continueExperiment, type StartExperiment, startExperiment } from '@/lib/actions/experiments'
import type { Actor } from '@/lib/server/access/actor'
import { type Experiment, messageInput, type Subject } from '@/lib/stream/experiments'
import { createFixture, type Fixture, waitFor } from '@/platform/testing/platform-fixture'
import { recorderHub } from '../recorder/shared-hub'
import { until } from '../recorder/testing'
import { signIn, type TestConsole, testActor, testConsole } from '../testing'
import { exportExperiment } from './export'
import { readExperiment } from './run'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

// Two revisions of a real deployment, whose answers differ. The tests run in order; each begins with the second one serving.

/** Says which revision it is of; a message to hold waits while the file exists. */
const graph = (word: string, file: string) => `import { existsSync } from 'node:fs'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('talk', async ({ messages }) => {
    const text = messages.at(-1).content
    while (text.startsWith('hold') && existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 20))
    return { messages: [{ role: 'assistant', content: '${word}: ' + text }] }
  })
  .addEdge(START, 'talk').addEdge('talk', END).compile()
`
const workspace = 'local'
const LONG_MS = 30_000
let fixture: Fixture
let home: TestConsole
let actor: Actor
let deploymentId: string
let first: string
let second: string
let held: string
beforeAll(async () => {
  fixture = await createFixture({ agentServerEntry: undefined, readyTimeoutMs: 60_000, drainMs: 60_000 })
  held = path.join(fixture.folder, 'held')
  home = await testConsole(fixture.consoleSettings)
  const repository = fixture.repository()
  const write = (word: string) =>
    repository.commit({
      'graph.json': JSON.stringify({ graphs: { talk: './graph.mjs:graph' } }),
      'graph.mjs': graph(word, held),
    })
  write('one')
  const { body } = await fixture.client.create('talker', repository.url)
  deploymentId = body.id
  first = body.latest_revision_id
  await fixture.client.waitForStatus(deploymentId, first, 'DEPLOYED')
  write('two')
  const patch = { source_revision_config: { repo_ref: 'main' } }
  second = (await fixture.client.patch(`/v2/deployments/${deploymentId}`, patch)).body.latest_revision_id
  await fixture.client.waitForStatus(deploymentId, second, 'DEPLOYED')
})
beforeEach(async () => {
  actor = await signIn(await testActor({ [workspace]: 'developer' }))
  await serve(second)
})
afterAll(async () => {
  await recorderHub().stop()
  await home.close()
  await fixture.close()
})

const active = async () => (await fixture.client.get(`/v2/deployments/${deploymentId}`)).body.active_revision_id
async function serve(revision: string): Promise<void> {
  if ((await active()) === revision) return
  await fixture.client.request('POST', `/v2/deployments/${deploymentId}/revisions/${revision}/redeploy`)
  await waitFor('it serves', async () => (await active()) === revision)
}

let keys = 0
const subject = (revision: string, more: Partial<Subject> = {}): Subject => ({
  ...{ deployment: deploymentId, deploymentName: 'talker', assistant: 'talk', name: 'talk', version: null },
  ...{ revision, isPinned: true, ...more },
})
const attempt = (subjects: Subject[], texts: string[]) => {
  const made: Omit<StartExperiment, 'subjects'> = {
    ...{ workspace, name: 'Revisions', key: `key-${keys++}-of-test`, checks: [], inputs: texts.map(messageInput) },
  }
  return startExperiment({ ...made, subjects: subjects.map(({ source: _, ...one }) => one) })
}
async function start(subjects: Subject[], texts: string[]): Promise<string> {
  const result = await attempt(subjects, texts)
  if (!result.ok) throw new Error(result.error.message)
  return result.data
}
const read = (id: string) => readExperiment(actor, { workspace, id })
const rested = (id: string): Promise<Experiment> =>
  until(async () => {
    const found = await read(id)
    return !found.isRunning && found.pairs.every(({ state }) => state !== 'running') && found
  }, LONG_MS)
const file = async (id: string, format: string) =>
  (
    await exportExperiment(new Request(`http://console/x?format=${format}`), { workspace, id }, async () => actor)
  ).text()
const facts = ({ pairs }: Experiment) =>
  pairs.map(({ state, result }) => [state, result?.output ?? null, result?.revision ?? null, !!result?.isReused])

test('a column of a revision that does not serve waits, and runs on it once it serves', async () => {
  const id = await start([subject(first), subject(second)], ['a'])
  const waiting = await rested(id)
  expect(facts(waiting)).toEqual([
    ['waiting', null, null, false],
    ['ended', 'two: a', second, false],
  ])
  expect(waiting.subjects[0]?.source).toMatch(/^[0-9a-f]{8} change$/)
  const refused = await continueExperiment({ workspace, id })
  expect(refused).toMatchObject({
    ok: false,
    error: {
      code: 'conflict',
      message: expect.stringMatching(
        `talker serves revision ${second.slice(0, 8)} now, so revision ${first.slice(0, 8)} cannot run.`,
      ),
    },
  })
  await serve(first)
  expect(await continueExperiment({ workspace, id })).toMatchObject({ ok: true })
  expect(facts(await rested(id))).toEqual([
    ['ended', 'one: a', first, false],
    ['ended', 'two: a', second, false],
  ])
  expect(await file(id, 'csv')).toMatch(new RegExp(`"one: a".*,"${first}","run",""`))
  expect(JSON.parse((await file(id, 'jsonl')).split('\n')[0] ?? '')).toMatchObject({
    revision: { id: first, isInferred: false },
  })
})

test('its last results on the same inputs are shown without a run, where the assistant and its options are equal', async () => {
  const hot = { options: '{"metadata":{"n":1}}' }
  const id = await start([subject(first), subject(first, hot), subject(second)], ['a', 'b'])
  const found = await rested(id)
  expect(facts(found)).toEqual([
    ['ended', 'one: a', first, true],
    ['waiting', null, null, false],
    ['ended', 'two: a', second, false],
    ['waiting', null, null, false],
    ['waiting', null, null, false],
    ['ended', 'two: b', second, false],
  ])
  const [reused] = found.pairs
  expect(Date.parse(reused?.result?.startedAt ?? '')).toBeLessThan(Date.parse(found.createdAt))
  expect(await file(id, 'csv')).toMatch(new RegExp(`"one: a".*,"${first}","run","${reused?.result?.startedAt}"`))
  // A new version of the assistant may answer differently.
  await fixture.client.request('PATCH', `/agents/${deploymentId}/assistants/talk`, { metadata: { changed: true } })
  expect(facts(await rested(await start([subject(first)], ['a'])))).toEqual([['waiting', null, null, false]])
})

test('when another revision takes over, the next start is refused, and which one answered the runs in progress is unknown', async () => {
  writeFileSync(held, '')
  const texts = ['hold 1', 'hold 2', 'hold 3', 'hold 4', 'last']
  const id = await start([subject(second)], texts)
  const started = ({ pairs }: Experiment) => pairs.filter(({ recording }) => recording !== null)
  await until(async () => started(await read(id)).length === 4, LONG_MS)
  await serve(first)
  rmSync(held)
  const { pairs } = await rested(id)
  for (const { state, result } of pairs.slice(0, 4))
    expect({ state, result }).toMatchObject({ state: 'ended', result: { outcome: 'success', revision: null } })
  expect(pairs[4]).toMatchObject({
    ...{ state: 'failed', recording: null },
    error: expect.stringContaining(`talker serves revision ${first.slice(0, 8)} now`),
  })
  await serve(second)
  await continueExperiment({ workspace, id })
  expect((await rested(id)).pairs[4]?.result).toMatchObject({ output: 'two: last', revision: second })
})

test('a revision of another deployment is refused before anything is stored', async () => {
  const none = crypto.randomUUID()
  expect(await attempt([subject(none)], ['a'])).toMatchObject({
    ok: false,
    error: { code: 'invalid', fields: [{ path: ['subjects', 0, 'revision'] }] },
  })
  expect(await attempt([{ ...subject(first), revision: null }], ['a'])).toMatchObject({ ok: false })
})

test('viewers neither start nor continue a column of a revision', async () => {
  const id = await start([subject(first)], ['viewer'])
  actor = await signIn(await testActor({ [workspace]: 'viewer' }))
  const refused = { ok: false, error: { code: 'forbidden' } }
  expect(await attempt([subject(first)], ['a'])).toMatchObject(refused)
  expect(await continueExperiment({ workspace, id })).toMatchObject(refused)
})

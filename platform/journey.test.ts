import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBody, createCanary, createFixture, type Fixture, waitFor } from './testing/platform-fixture'
import { tickerFiles } from './testing/ticker.mjs'

// A team's work with one git repository, from its first deployment on, against real agent servers. The tests run in
// order; each continues where the previous one ended.

let fixture: Fixture
let repository: ReturnType<Fixture['repository']>
let id: string
/** Revisions by their purpose. */
const revisions: Record<'first' | 'pushed' | 'broken' | 'tagged', string> = {
  first: '',
  pushed: '',
  broken: '',
  tagged: '',
}

beforeAll(async () => {
  fixture = await createFixture({ agentServerEntry: undefined, readyTimeoutMs: 60_000 })
  repository = fixture.repository()
}, 60_000)
afterAll(() => fixture?.close(), 30_000)

const INSTALL = `for (const word of ['one', 'two', 'three']) {
  console.log('step ' + word)
  await new Promise((resolve) => setTimeout(resolve, 150))
}
`
const latest = async () => (await fixture.client.get(`/v2/deployments/${id}`)).body.latest_revision_id as string
/** The revision that serves, and its graph's response. */
async function served() {
  const info = await fixture.client.get(`/agents/${id}/info`)
  const response = await fixture.client.request('POST', `/agents/${id}/runs/wait`, {
    assistant_id: 'ticker',
    input: {},
  })
  return { revision: info.body.metadata.revision, done: response.body.done }
}
/** Every line of a log, for a reader that continues from its last position. */
async function follow(revision: string, type: 'build' | 'deploy', isOver: () => Promise<boolean>) {
  const seen: { message: string; whileBuilding: boolean }[] = []
  for (let cursor = '', last = false; ; ) {
    const from = `/v2/deployments/${id}/revisions/${revision}/logs?type=${type}&order=asc&limit=2${cursor && `&offset=${cursor}`}`
    const { body } = await fixture.client.get(from)
    for (const { message } of body.logs) seen.push({ message, whileBuilding: !last })
    cursor = body.next_offset ?? cursor
    if (body.logs.length) continue
    if (last) return seen
    last = await isOver()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a branch is deployed; its build log can be followed line by line during the build, without duplicates', async () => {
  repository.commit({ ...tickerFiles(), 'install.mjs': INSTALL })
  const { body } = await fixture.client.request('POST', '/v2/deployments', {
    ...createBody('journey', repository.url),
    source_config: {
      ...createBody('journey', repository.url).source_config,
      build_on_push: true,
      install_command: 'node install.mjs',
    },
  })
  ;({ id } = body)
  revisions.first = body.latest_revision_id
  const lines = await follow(revisions.first, 'build', async () => {
    const { status } = await fixture.client.revision(id, revisions.first)
    return !['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING'].includes(status)
  })
  const steps = lines.filter(({ message }) => message.startsWith('step '))
  expect(steps.map(({ message }) => message)).toEqual(['step one', 'step two', 'step three'])
  expect(steps[0]?.whileBuilding).toBe(true)
  await fixture.client.waitForStatus(id, revisions.first, 'DEPLOYED')
  expect(await served()).toEqual({ revision: revisions.first, done: 1 })
}, 60_000)

test('a pushed commit is deployed automatically', async () => {
  const commit = repository.commit(tickerFiles('second'))
  await waitFor('a revision is made', async () => (await latest()) !== revisions.first)
  revisions.pushed = await latest()
  const done = await fixture.client.waitForStatus(id, revisions.pushed, 'DEPLOYED')
  expect(done.source_revision_config.repo_commit_sha).toBe(commit)
  expect((await fixture.client.get(`/v2/deployments/${id}`)).body.active_revision_id).toBe(revisions.pushed)
  expect((await served()).revision).toBe(revisions.pushed)
}, 60_000)

test('a pushed graph that does not load fails with the reason in its log, and the previous revision keeps serving', async () => {
  repository.commit({ 'ticker.mjs': 'export const graph = {' })
  await waitFor('a revision is made', async () => (await latest()) !== revisions.pushed)
  revisions.broken = await latest()
  await fixture.client.waitForStatus(id, revisions.broken, 'DEPLOY_FAILED')
  expect(await fixture.client.log(id, revisions.broken, 'deploy')).toMatch(
    /Graph "ticker" cannot be loaded: .*(SyntaxError|Unexpected)/,
  )
  expect(await served()).toEqual({ revision: revisions.pushed, done: 1 })
}, 60_000)

test('the failed one can be redeployed; it fails again with the reason, and nothing else changes', async () => {
  const { client } = fixture
  const reasons = async () => (await client.log(id, revisions.broken, 'deploy')).match(/cannot be loaded/g)?.length ?? 0
  const before = await reasons()
  const { status } = await client.request('POST', `/v2/deployments/${id}/revisions/${revisions.broken}/redeploy`)
  expect(status).toBe(200)
  await waitFor('it has failed once more', async () => (await reasons()) === 2 * before)
  await fixture.client.waitForStatus(id, revisions.broken, 'DEPLOY_FAILED')
  expect(await served()).toEqual({ revision: revisions.pushed, done: 1 })
}, 60_000)

test('the previous revision can be redeployed from its earlier build', async () => {
  const { status } = await fixture.client.request('POST', `/v2/deployments/${id}/revisions/${revisions.first}/redeploy`)
  expect(status).toBe(200)
  await fixture.client.waitForStatus(id, revisions.first, 'DEPLOYED')
  expect((await served()).revision).toBe(revisions.first)
  expect((await fixture.client.log(id, revisions.first, 'build')).match(/step one/g)).toHaveLength(1)
}, 60_000)

test('a tag is deployed once pushes are no longer tracked, and does not follow the branch', async () => {
  const ref = { source_revision_config: { repo_ref: 'refs/tags/v1' } }
  const refused = await fixture.client.patch(`/v2/deployments/${id}`, ref)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('build_on_push')])

  // On a branch that no deployment tracks.
  repository.git('checkout', '--quiet', '-b', 'release')
  const commit = repository.commit(tickerFiles('tagged'))
  repository.git('tag', 'v1')
  const patch = { source_config: { build_on_push: false }, ...ref }
  const { body } = await fixture.client.patch(`/v2/deployments/${id}`, patch)
  revisions.tagged = body.latest_revision_id
  const done = await fixture.client.waitForStatus(id, revisions.tagged, 'DEPLOYED')
  expect(done.source_revision_config).toMatchObject({ repo_ref: 'refs/tags/v1', repo_commit_sha: commit })
  repository.git('checkout', '--quiet', 'main')
  repository.commit(tickerFiles('later'))
  await (await createCanary(fixture)).passed()
  expect(await latest()).toBe(revisions.tagged)
}, 60_000)

test('a build can be interrupted, and the active revision is not affected', async () => {
  repository.commit({ 'install.mjs': 'console.log("begun"); setInterval(() => {}, 1000)' })
  repository.git('tag', 'v2')
  const { body } = await fixture.client.patch(`/v2/deployments/${id}`, {
    source_revision_config: { repo_ref: 'refs/tags/v2' },
  })
  const stuck = body.latest_revision_id
  await waitFor('it builds', async () => (await fixture.client.log(id, stuck, 'build')).includes('begun'))
  const { body: interrupted } = await fixture.client.request(
    'POST',
    `/v2/deployments/${id}/revisions/${stuck}/interrupt`,
  )
  expect(interrupted.status).toBe('INTERRUPTED')
  expect(await fixture.client.log(id, stuck, 'build')).toMatch(/Interrupted/)
  expect(await served()).toEqual({ revision: revisions.tagged, done: 1 })
}, 60_000)

const TYPED = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
const State = Annotation.Root({
  /** In degrees. */
  heat: Annotation<number>,
  tone: Annotation<'kind' | 'strict'>,
})
const Context = Annotation.Root({ city: Annotation<string> })
export const graph = new StateGraph(State, Context)
  .addNode('a', () => ({ heat: 1 })).addEdge(START, 'a').addEdge('a', END).compile()
`

test('the schemas of a graph without any come from its types, read by the source’s own compiler', async () => {
  const typed = fixture.repository('typed')
  typed.commit({ 'typed.ts': TYPED, 'graph.json': JSON.stringify({ graphs: { typed: './typed.ts:graph' } }) })
  const link = (name: string, to: string) => `ln -s ${path.resolve('node_modules', to)} node_modules/${name}`
  const install = `mkdir node_modules && ${link('typescript', 'typescript-5')} && ${link('@langchain', '@langchain')}`
  const { source_config, ...rest } = createBody('typed', typed.url)
  const { body } = await fixture.client.request('POST', '/v2/deployments', {
    ...rest,
    source_config: { ...source_config, install_command: install },
  })
  await fixture.client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  expect(await fixture.client.log(body.id, body.latest_revision_id, 'build')).toMatch(
    /Read the types of the graphs' fields in \d+\.\d s\./,
  )
  const schemas = await fixture.client.get(`/agents/${body.id}/assistants/typed/schemas`)
  const fields = {
    heat: { type: 'number', description: 'In degrees.' },
    tone: { enum: ['kind', 'strict'] },
  }
  expect(schemas.body).toMatchObject({
    input_schema: { type: 'object', properties: fields },
    state_schema: { properties: fields },
    output_schema: { properties: fields },
    context_schema: { properties: { city: { type: 'string' } } },
  })
}, 60_000)

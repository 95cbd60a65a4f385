import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ratePair, startExperiment } from '@/lib/actions/experiments'
import { messageInput } from '@/lib/stream/experiments'
import { testServer } from '@/platform/agent-server/testing'
import { createTracesFixture } from '@/platform/traces/testing'
import type { Actor } from '../access/actor'
import { changeWorkspace } from '../access/workspace-settings'
import { adoptClock } from '../process/clock'
import { recorderHub } from '../recorder/shared-hub'
import { until, workspaceFor } from '../recorder/testing'
import { savePrice } from '../records/prices'
import { signIn, testActor, testConsole } from '../testing'
import { tracedOf } from './result'
import { readExperiment } from './run'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
// Against the embedded agent server, which logs its runs to the embedded platform.
const traces = await createTracesFixture()
const server = await testServer({ configPath: path.resolve('platform/samples/graph.json') })
const home = await testConsole(traces.fixture.consoleSettings)
const workspace = 'tests'
const deploymentId = await workspaceFor(server.url)
let actor: Actor
let assistant = ''
beforeAll(async () => {
  const quick = { graph_id: 'chat', name: 'Quick', context: { delay_ms: 0 } }
  assistant = (await server.post('/assistants', quick)).json.assistant_id
  vi.stubEnv('LANGSMITH_TRACING', 'true')
  vi.stubEnv('LANGSMITH_ENDPOINT', traces.url)
  vi.stubEnv('LANGSMITH_API_KEY', traces.apiKey)
  adoptClock({ pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }) // traces arrive after their runs
  await changeWorkspace(workspace, { traces: { url: traces.url, apiKey: traces.apiKey } })
  const price = {
    ...{ model: 'scripted-1', provider: null, input: 1_000, output: 2_000, cachedInput: null, reasoning: null },
    ...{ cacheWrite: null, cacheWrite1h: null, validFrom: null },
  }
  await savePrice(await testActor({ local: 'admin' }), { workspace: 'local', price }, 'request')
  actor = await signIn(await testActor({ [workspace]: 'developer' }))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await recorderHub().stop()
  await home.close()
  await server.close()
  await traces.close()
})

test('the cost of a run is that of its trace, and a rating is written to the trace as well', async () => {
  const started = await startExperiment({
    ...{ workspace, name: 'Traced', key: 'key-of-traced-test', checks: [], inputs: [messageInput('Hello')] },
    subjects: [
      { deployment: deploymentId, deploymentName: 'x', assistant, name: 'Quick', version: null, revision: null },
    ],
  })
  if (!started.ok) throw new Error(started.error.message)
  const place = { workspace, id: started.data }
  const { pairs } = await until(async () => {
    const found = await readExperiment(actor, place)
    return !found.isRunning && found
  }, 30_000)
  const result = pairs[0]?.result
  const run = result?.run ?? ''
  const [tokensIn, tokensOut] = [result?.tokensIn ?? 0, result?.tokensOut ?? 0]
  expect(tokensOut).toBeGreaterThan(50)
  // Other tracing servers tell no usage by model, so that the cost is unknown without theirs.
  expect(result?.cost).toBeNull()
  const told = await tracedOf('local', run)
  expect(told).toMatchObject({ isTraced: true, tokensIn, tokensOut })
  const { cost } = told
  expect(cost).toBeCloseTo((tokensIn * 1_000 + tokensOut * 2_000) / 1e6, 9)

  const rate = async (thumb: 1 | -1, note: string) =>
    expect(await ratePair({ place, subject: 0, input: 0, thumb, note })).toMatchObject({
      ok: true,
      data: { isTraced: true },
    })
  await rate(1, 'short and right')
  await rate(-1, 'too long')
  const { body: feedback } = await traces.get(`/feedback?run=${run}`)
  expect(feedback).toMatchObject([{ key: 'user_rating', score: 0, comment: 'too long', run_id: run }])
  expect(feedback).toHaveLength(1)
}, 60_000)

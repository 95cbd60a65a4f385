import { afterAll, expect, test } from 'vitest'
import { startFaultProxy } from '@/e2e/support/fault-proxy'
import { until, workspaceFor } from '@/lib/server/recorder/testing'
import { testActor, testConsole } from '@/lib/server/testing'
import { testServer } from '@/platform/agent-server/testing'
import { recorderHub } from '../../recorder/shared-hub'
import { joinRecording } from '../../recorder/start'
import { readLastCronRuns } from './cron-runs'

// Against the embedded agent server, over a connection that the test can break.
const server = await testServer()
const wire = await startFaultProxy(server.url)
const home = await testConsole()
const deployment = await workspaceFor(wire.url)
const actor = await testActor({ tests: 'developer' })
afterAll(async () => {
  await recorderHub().stop()
  await home.close()
  await wire.stop()
  await server.close()
})

const read = (crons: string, who = actor) => readLastCronRuns('tests', { deployment, crons }, who)

/** A firing, as the clock of crons makes it. */
async function fire(cron: string, own?: string, delay = 1) {
  const metadata = { cron_id: cron }
  const thread = own ?? (await server.newThread({ metadata }))
  const body = { assistant_id: 'counter', input: { until: 2, delay }, metadata, multitask_strategy: 'enqueue' }
  return { thread, run: (await server.post(`/threads/${thread}/runs`, body)).json.run_id as string }
}

test('the last run of each cron is found, on its own thread or its newest one', async () => {
  const own = await server.newThread()
  await fire('fresh')
  const fresh = await fire('fresh')
  const kept = await fire('kept', own)
  await fire('other', own)
  const found = await until(async () => {
    const runs = await read(`fresh,kept/${own},none`)
    return runs.fresh?.status === 'success' && runs.kept?.status === 'success' && runs
  })
  expect(found).toEqual({
    fresh: expect.objectContaining({ ...fresh, recording: null, startedBy: 'Cron' }),
    kept: expect.objectContaining(kept),
    none: null,
  })
})

test('a recorded run is told as its recording tells it', async () => {
  const { thread, run } = await fire('recorded')
  const { id } = await joinRecording({ actor, workspace: 'tests', deploymentId: deployment, thread, run })
  const { recorded } = await read('recorded')
  expect(recorded).toMatchObject({ recording: id, run })
})

test('of a server that does not answer nothing is claimed, and strangers read nothing', async () => {
  await wire.set({ kind: 'respond', status: 503 })
  expect(await read('unread')).toEqual({})
  await wire.set(null)
  await expect(read('unread', await testActor({ elsewhere: 'admin' }))).rejects.toMatchObject({ code: 'not_found' })
})

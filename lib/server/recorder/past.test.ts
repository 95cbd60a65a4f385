import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { applyEntry, createRunView } from '@/lib/stream/run-view'
import { startAgentServer } from '@/platform/agent-server/start'
import { testDatabase } from '@/scripts/testing'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from '../upstream/call'
import { recorderHub } from './shared-hub'
import { joinRecording, type RunBody } from './start'
import { logOf, until, workspaceFor } from './testing'

// Runs of a real agent server that are opened after their end.

let database: Awaited<ReturnType<typeof testDatabase>>
let console_: TestConsole
let agent: Awaited<ReturnType<typeof startAgentServer>>
let actor: Actor
let deploymentId: string
beforeAll(async () => {
  database = await testDatabase()
  const configPath = path.resolve('platform/samples/workbench.json')
  agent = await startAgentServer({ databaseUrl: database.url, schema: 'agent', configPath })
  console_ = await testConsole()
  deploymentId = await workspaceFor(`http://127.0.0.1:${agent.port}`)
  actor = await testActor({ tests: 'developer' })
}, 60_000)
afterAll(async () => {
  await recorderHub().stop()
  await agent.stop()
  await console_.close()
  await database.drop()
})

const at = <Params extends object>(params: Params) => ({ workspace: 'tests', deploymentId, params })

async function newThread(): Promise<string> {
  const body = {}
  return (await call(agentServer.createThread, { workspace: 'tests', deploymentId, body }, { actor })).thread_id
}

/** A run that is over, without anybody having followed it. */
async function ended(thread: string, body: Partial<RunBody>): Promise<string> {
  const whole = { assistant_id: 'failing', ...body } as RunBody
  const { run_id } = await call(agentServer.createRun, { ...at({ thread_id: thread }), body: whole }, { actor })
  await until(async () => {
    const { status } = await call(agentServer.getRun, at({ thread_id: thread, run_id }), { actor })
    return status !== 'pending' && status !== 'running'
  }, 20_000)
  return run_id
}

async function opened(thread: string, run: string) {
  const { id } = await joinRecording({ actor, workspace: 'tests', deploymentId, thread, run })
  const log = await until(async () => {
    const entries = await logOf(id)
    return entries.at(-1)?.kind === 'final' && entries
  })
  const view = createRunView()
  for (const entry of log) applyEntry(view, entry)
  const steps = [...view.steps.tracks.values()].flatMap((track) =>
    track.steps.map(({ status, error }) => `${track.node} ${status}${error ? `: ${error}` : ''}`),
  )
  return { view, steps, log }
}

test('has the steps that the history of its thread tells', { timeout: 60_000 }, async () => {
  const thread = await newThread()
  const failed = await ended(thread, { input: {} })
  const first = await opened(thread, failed)
  expect(first.log[0]?.kind).toBe('joined')
  expect(first.steps.slice(0, 2)).toEqual(['check done', 'reserve done'])
  expect(first.steps[2]).toMatch(/^pay error: ./)
  expect(first.view.steps.past).toBe('whole')
  const [check] = first.view.steps.tracks.get('check')?.steps ?? []
  const { startedAt = 0, endedAt = 0 } = first.view.final ?? {}
  expect(check?.startedAt).toBeGreaterThanOrEqual(startedAt)
  expect(check?.endedAt).toBeGreaterThan(check?.startedAt ?? 0)
  expect(check?.endedAt).toBeLessThan(endedAt)

  // The history is kept with its recording, but not what the graph wrote.
  expect(JSON.stringify(first.log.at(-1))).toContain('"history"')
  const { history } = first.log.at(-1) as { history: string }
  expect(history).not.toContain('reserved')

  const again = await opened(thread, await ended(thread, { input: null }))
  // It failed in its first step, so that it wrote no checkpoint. The thread's state tells the step.
  expect(again.view.steps.past).toBe('none')
  expect(again.steps.map((step) => step.slice(0, 9))).toEqual(['pay error'])
})

test('has those of its own branch, also where another run forked from within it', { timeout: 60_000 }, async () => {
  const thread = await newThread()
  const run = await ended(thread, { assistant_id: 'fanout', input: { workers: 2 } })
  const states = await call(
    agentServer.searchThreadHistory,
    { ...at({ thread_id: thread }), body: { limit: 50 } },
    { actor },
  )
  const id = states.find(({ next }) => next[0] === 'spread')?.checkpoint?.checkpoint_id ?? ''
  const fork = await ended(thread, { assistant_id: 'fanout', input: null, checkpoint_id: id })
  const steps = ['spread done', 'work done', 'work done', 'merge done']
  for (const one of [run, fork]) {
    const { view, steps: told } = await opened(thread, one)
    expect(told).toEqual(steps)
    expect(view.steps.past).toBe('whole')
  }
})

test('says that the history has no steps where its older checkpoints were removed', { timeout: 60_000 }, async () => {
  const thread = await newThread()
  const run = await ended(thread, { assistant_id: 'fanout', input: { workers: 1 } })
  const body = { thread_ids: [thread], strategy: 'keep_latest' as const }
  await call(agentServer.pruneThreads, { workspace: 'tests', deploymentId, body }, { actor })
  const { view, steps } = await opened(thread, run)
  expect(steps).toEqual([])
  expect(view.steps.past).toBe('none')
})

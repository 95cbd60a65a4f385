import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { ThreadState } from '@/lib/contracts/agents/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { resumeWith } from '@/lib/stream/answers'
import type { GivenAnswer, WaitingDetail } from '@/lib/stream/inbox'
import { kept } from '@/lib/stream/kept-request'
import type { RecordingSummary } from '@/lib/stream/log'
import { openInterrupts } from '@/lib/stream/questions'
import type { Actor } from '../access/actor'
import { type RunBody, startRecording } from '../recorder/start'
import { serveRead } from '../relay/serve-read'
import { call } from '../upstream/call'
import { authorize, type CallOptions } from '../upstream/call-context'

const LIGHT = ['thread_id', 'status', 'metadata']

/**
 * A thread's open questions, without its values; questions of subgraphs have their namespace. Throws AppError like
 * `call`.
 */
export async function readWaiting(place: ThreadPlace, options: CallOptions = {}): Promise<WaitingDetail> {
  const { workspace, deploymentId, thread } = place
  const at = { workspace, deploymentId, params: { thread_id: thread } }
  const light = { ids: [thread], select: LIGHT, limit: 1 }
  const [row] = await call(agentServer.searchThreads, { workspace, deploymentId, body: light }, options)
  const record = row?.thread_id === thread ? row : await call(agentServer.getThread, at, options)
  const state = await call(
    agentServer.getThreadState,
    // Servers without `select` also send the values, which are dropped here.
    { ...at, query: { subgraphs: true, select: 'next,tasks,interrupts,metadata' } },
    options,
  )
  const { assistant_id: assistant, graph_id: graph } = record.metadata
  const asked = lightState(state)
  return {
    status: record.status ?? null,
    assistant: textOf(assistant) ?? textOf(state.metadata?.assistant_id) ?? textOf(graph),
    questions: openInterrupts(printJson(asked), asked),
    next: state.next,
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

type Light = { interrupts: unknown[]; tasks: Record<string, unknown>[] }
const lightState = ({ interrupts, tasks }: Pick<ThreadState, 'interrupts' | 'tasks'>): Light => ({
  interrupts,
  tasks: tasks.map(({ id, name, interrupts: asked, state }) => ({
    id,
    name,
    interrupts: asked,
    state: state ? lightState(state) : null,
  })),
})

/** Answers `GET /api/inbox/{workspace}/{deployment}/{thread}`. */
export const serveWaiting = (request: Request, place: ThreadPlace): Promise<Response> =>
  serveRead(request, (_, options) => readWaiting(place, options))

/**
 * Answers a thread's questions with one recorded run, or continues it if it asks none. Reads the open questions first;
 * throws AppError conflict, with nothing sent, if somebody else has answered.
 */
export async function answerThread(
  place: ThreadPlace,
  answers: readonly GivenAnswer[],
  key: string,
  actor: Actor,
): Promise<RecordingSummary> {
  const { workspace, deploymentId, thread } = place
  // Check the role before anything is read, so that a denial is audited once.
  await authorize(agentServer.createRunStream, { workspace, deploymentId, params: { thread_id: thread } }, actor)
  const found = await readWaiting(place, { actor })
  if (found.status === 'busy')
    throw new AppError('conflict', 'A run is in progress on this thread. Wait for it to end.')
  // A node that asks twice reuses the id, so the question itself must match too.
  const open = new Map(found.questions.map(({ id, value }) => [id, printJson(value ?? null)]))
  if (found.status === 'idle' || answers.some(({ id, asked }) => open.get(id) !== printJson(asked ?? null)))
    throw new AppError('conflict', 'This was answered in the meantime. Nothing was sent.')
  if (answers.length === 0 && open.size > 0)
    throw new AppError('conflict', 'The thread has an interrupt now. Nothing was sent.')
  const runs = { workspace, deploymentId, params: { thread_id: thread }, query: { limit: 1 } }
  const [last] = await call(agentServer.listRuns, runs, { actor })
  const assistant = textOf(last?.assistant_id) ?? found.assistant
  if (!assistant) throw new AppError('invalid', 'It is unknown which assistant ran on this thread.')
  const body: RunBody = {
    ...(isRecord(last?.kwargs) ? kept(last.kwargs) : {}),
    assistant_id: assistant,
    ...(answers.length > 0 ? { command: { resume: resumeWith(answers, open.size) } } : { input: null }),
    // A second answer to the same question must not run after the first.
    multitask_strategy: 'reject',
  }
  return await startRecording({ actor, workspace, deploymentId, thread: { kind: 'existing', id: thread }, body, key })
}

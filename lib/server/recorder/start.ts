import 'server-only'
import { randomUUID } from 'node:crypto'
import { agentServer } from '@/lib/contracts/agent-server'
import type { InputOf } from '@/lib/contracts/wire/api'
import { redact } from '@/lib/contracts/wire/redact'
import { DEFAULT_STREAM_MODES } from '@/lib/contracts/wire/stream-modes'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { RECORDING_KEY, type RecordingSummary } from '@/lib/stream/log'
import { createdAt } from '@/lib/stream/run-times'
import type { Actor } from '../access/actor'
import { log } from '../process/log'
import { outside } from '../process/outside'
import { shutdownSignal } from '../process/shutdown'
import { within } from '../process/within'
import { agentServerOf } from '../upstream/agent-address'
import { call, type OpenStream, openStream } from '../upstream/call'
import { authorize } from '../upstream/call-context'
import type { Destination } from '../upstream/destination'
import { serverInfo } from '../upstream/server-info'
import type { Hub } from './hub'
import { RecordingLog } from './log/recording-log'
import { Recorder } from './recorder'
import { recorderHub } from './shared-hub'
import { extraModes, withServersModes } from './source/asked-modes'
import { asAppError, findRunByKey, idsOf, isOverStatus, openRun, readState, starterOf } from './source/run-source'
import { holdStream } from './source/stream-places'
import {
  deleteRecording,
  findByKey,
  findRecording,
  insertJoined,
  insertRecording,
  type RecordingRow,
  summaryOf,
  updateRecording,
} from './store'

/** How long a start waits for its thread to be stored. */
const STORED_MS = 5_000
/** How long the recording of a run that is over may take to get its end; afterwards the run is shown as running. */
const ENDED_MS = 10_000

export type RunBody = NonNullable<InputOf<typeof agentServer.createRunStream>['body']>

export type StartRecording = {
  actor: Actor
  workspace: string
  deploymentId: string
  thread: { kind: 'new' } | { kind: 'existing'; id: string } | { kind: 'stateless' }
  body: RunBody
  /** The same key by the same person returns the existing recording, so a double click starts one run. */
  key?: string
  /** How long the start may wait to read the assistant's version, without which it is unknown. */
  versionMs?: number
}

/**
 * Starts a run and its recording, with the stream opened together with the run, so the log misses nothing; resolves
 * when the run's id is known. Throws AppError, and then there is no recording: with `queue` while no stream is free, so
 * that asking again with the same key keeps the place.
 */
export async function startRecording(input: StartRecording): Promise<RecordingSummary> {
  const { actor, deploymentId, thread } = input
  const isStateless = thread.kind === 'stateless'
  // Before anything is read, so that a refusal is audited as one.
  const op = isStateless ? agentServer.createStatelessRunStream : agentServer.createRunStream
  const { workspace, requestId } = await authorize(op, input, actor)
  // A server that cannot be found fails below, as an audited call.
  const to = await agentServerOf(workspace, deploymentId, { workspace, requestId }).catch(() => undefined)
  const release = to ? await streamFor(input, to) : () => {}
  if (!release) return await startedBefore(input)
  try {
    return await startWithStream(input, release)
  } finally {
    release()
  }
}

/** Like `startRecording`, but waits for a free stream while `mayWait`. `inputOf` may refuse at each attempt. */
export async function startWhenFree(
  mayWait: () => boolean,
  inputOf: () => Promise<StartRecording>,
): Promise<RecordingSummary> {
  for (;;) {
    try {
      return await startRecording(await inputOf())
    } catch (error) {
      const { queue, retryAfterMs } = asAppError(error).view
      if (!queue || !mayWait()) throw error
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    }
  }
}

/** Holds a stream for the start; undefined if it is a repeat of one that was made. */
async function streamFor({ actor, workspace, key }: StartRecording, to: Destination) {
  try {
    return holdStream(to, key && JSON.stringify([actor.id, workspace, key]))
  } catch (error) {
    if (key && (await findByKey(workspace, actor.email || actor.id, key))) return undefined
    throw error
  }
}

/** `release`: called when the run's stream counts as open. */
async function startWithStream(input: StartRecording, release: () => void): Promise<RecordingSummary> {
  const { actor, workspace, deploymentId, thread, key } = input
  const startedAt = new Date()
  const isStateless = thread.kind === 'stateless'
  const before = activeVersion(input)
  const hub = recorderHub()
  const info = serverInfo({ workspace, deploymentId }, { actor, timeoutMs: hub.settings.timing.versionMs })
  await hub.start()
  const id = randomUUID()
  const body: RunBody = {
    ...input.body,
    stream_mode: input.body.stream_mode ?? [...DEFAULT_STREAM_MODES],
    stream_resumable: input.body.stream_resumable ?? true,
    on_disconnect: input.body.on_disconnect ?? 'continue',
    // Servers have different defaults; a stateless run has no thread to wait for.
    ...(!isStateless && { multitask_strategy: input.body.multitask_strategy ?? 'enqueue' }),
    metadata: { ...input.body.metadata, [RECORDING_KEY]: id },
  }
  const row = await insertRecording({
    id,
    workspace,
    deployment: deploymentId,
    thread: thread.kind === 'existing' ? thread.id : null,
    assistant: body.assistant_id,
    startedBy: actor.email || actor.id,
    startedAt,
    request: printJson(redact(body)),
    isStateless,
    isResumable: body.stream_resumable === true,
    idempotencyKey: key ?? null,
    owner: hub.instance,
  })
  if (!row) return await startedBefore(input)

  const recorder = newRecorder(hub, row)
  try {
    await before
    const extra = extraModes(body, await info)
    recorder.hide(extra)
    const modes = [...[body.stream_mode ?? []].flat(), ...extra]
    const opened = await withServersModes({ workspace, deploymentId }, modes, (stream_mode) =>
      open(input, { ...body, stream_mode }, recorder),
    )
    release()
    const ids = idsOf(opened.headers)
    recorder.name(ids.thread, ids.run)
    recorder.begin(opened)
  } catch (error) {
    recorder.discard()
    // A shutdown leaves open whether the run was created: the instance that takes over looks for it.
    if (shutdownSignal().aborted) await updateRecording(id, { owner: null }, { instance: hub.instance, isOwner: true })
    else
      await deleteRecording(id).catch((reason: unknown) =>
        log.warn('recorder.start_left', { recording: id, error: reason }),
      )
    throw error
  }
  const isNamed = within(hub.settings.timing.idsMs, recorder.named, undefined)
  const [version] = await Promise.all([activeVersion(input), isNamed])
  // The same before and after, so the run used it. Otherwise unknown.
  const assistantVersion = version === (await before) ? version : null
  if (assistantVersion !== null)
    await updateRecording(id, { assistantVersion }, { instance: hub.instance, isOwner: false }).catch(
      (error: unknown) =>
        // The run goes on.
        log.warn('recorder.version_lost', { recording: id, error }),
    )
  const { thread: namedThread, run } = recorder.place
  return { ...summaryOf(row), assistantVersion, thread: namedThread, run, phase: 'live' }
}

const newRecorder = (hub: Hub, row: RecordingRow): Recorder =>
  outside(() => new Recorder(hub, row, new RecordingLog(row, [], { phase: 'starting', last: 0, totalBytes: 0 })))

/** The assistant version that a new run gets; null if its server does not respond in time. */
async function activeVersion({
  actor,
  workspace,
  deploymentId,
  body,
  ...more
}: StartRecording): Promise<number | null> {
  const params = { assistant_id: body.assistant_id }
  const options = { actor, timeoutMs: more.versionMs ?? recorderHub().settings.timing.versionMs }
  return await call(agentServer.getAssistant, { workspace, deploymentId, params }, options).then(
    ({ version }) => version ?? null,
    () => null,
  )
}

/** Creates the thread if needed, and the run with its stream. */
async function open(
  { actor, workspace, deploymentId, thread }: StartRecording,
  body: RunBody,
  recorder: Recorder,
): Promise<OpenStream> {
  const at = { workspace, deploymentId }
  const options = { actor, signal: recorder.signal }
  if (thread.kind === 'stateless')
    return await openStream(agentServer.createStatelessRunStream, { ...at, body }, options)
  if (thread.kind === 'new' && !recorder.place.thread) {
    const made = await call(agentServer.createThread, { ...at, body: {} }, options)
    recorder.name(made.thread_id, null)
    // If this process dies during the start, another one finds the run by its thread, and by nothing else.
    if (!(await within(STORED_MS, recorder.written, false)))
      throw new AppError(
        'internal',
        "The console's database is unreachable. Nothing was started; try again in a moment.",
      )
  }
  const thread_id = recorder.place.thread ?? ''
  try {
    return await openStream(agentServer.createRunStream, { ...at, params: { thread_id }, body }, options)
  } catch (error) {
    // If only the response was lost, the thread has a run with our key, and its stream can be replayed.
    if (asAppError(error).code !== 'upstream_unreachable') throw error
    const run = await findRunByKey(recorder.place, String(body.metadata?.[RECORDING_KEY])).catch(() => undefined)
    if (!run) throw error
    recorder.name(thread_id, run)
    return await openRun(recorder.place, { lastEventId: '-1', signal: recorder.signal })
  }
}

async function startedBefore({ actor, workspace, key }: StartRecording): Promise<RecordingSummary> {
  const { idsMs } = recorderHub().settings.timing
  for (const startedAt = Date.now(); ; ) {
    const row = await findByKey(workspace, actor.email || actor.id, key ?? '')
    // The first attempt failed in the meantime and left nothing.
    if (!row) throw new AppError('conflict', 'The same start was in progress and failed. Try again.')
    if (row.run || row.phase !== 'starting' || Date.now() - startedAt > idsMs) return summaryOf(row)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/**
 * Records a run that was started elsewhere, or returns its existing recording. The log begins with the first event if
 * the server kept it, else with `joined` and the thread's current state.
 */
export async function joinRecording(input: {
  actor: Actor
  workspace: string
  deploymentId: string
  thread: string
  run: string
}): Promise<RecordingSummary> {
  const { actor, workspace, deploymentId, thread, run } = input
  const hub = recorderHub()
  await hub.start()
  // As the person: this checks their rights, and an unknown run is reported at once.
  const found = await call(
    agentServer.getRun,
    { workspace, deploymentId, params: { thread_id: thread, run_id: run } },
    { actor },
  )
  const kwargs: Record<string, unknown> = found.kwargs ?? {}
  const began = createdAt(found)
  const { row, isNew } = await insertJoined({
    id: randomUUID(),
    workspace,
    deployment: deploymentId,
    thread,
    run,
    assistant: found.assistant_id ?? '',
    startedBy: starterOf(found),
    ...(began !== undefined && { startedAt: new Date(began) }),
    request: printJson(redact({ assistant_id: found.assistant_id, metadata: found.metadata, ...kwargs })),
    isStateless: false,
    isResumable: kwargs.stream_resumable === true,
    owner: hub.instance,
  })
  if (!isNew) return summaryOf(row)
  const recorder = newRecorder(hub, row)
  try {
    const state = await readState(recorder.place)
    recorder.begin(await openRun(recorder.place, { lastEventId: '-1', signal: recorder.signal }), {
      state: state.text,
      status: found.status,
    })
  } catch (error) {
    recorder.discard()
    await deleteRecording(row.id)
    throw error
  }
  if (!isOverStatus(found.status)) return { ...summaryOf(row), phase: 'live' }
  await within(ENDED_MS, recorder.ended, undefined)
  return summaryOf((await findRecording(row.id)) ?? row)
}

/** Cancels a recorded run on its server. `interrupt` keeps its results, `rollback` deletes them. */
export async function cancelRecording(
  actor: Actor,
  { workspace, recording: id }: { workspace: string; recording: string },
  action: 'interrupt' | 'rollback',
): Promise<void> {
  const hub = recorderHub()
  const row = await findRecording(id)
  if (row?.workspace !== workspace) {
    await authorize(agentServer.cancelRun, { workspace }, actor)
    throw new AppError('not_found', 'This workspace has no such recording. It may have expired.')
  }
  const place = { thread: row.thread, run: row.run, ...hub.recorders.get(id)?.place }
  const params = { thread_id: place.thread ?? '', run_id: place.run ?? '' }
  const input = { workspace, deploymentId: row.deployment, params, query: { action } }
  await authorize(agentServer.cancelRun, input, actor)
  if (!place.run) throw new AppError('conflict', 'The run has no id yet. Try again in a moment.')
  if (!place.thread)
    throw new AppError(
      'unsupported',
      'The server does not report the thread of this stateless run, and without it a run cannot be cancelled.',
    )
  await call(agentServer.cancelRun, input, { actor })
  await updateRecording(id, { cancelledAt: new Date() }, { instance: hub.instance, isOwner: false })
  hub.recorders.get(id)?.poke()
}

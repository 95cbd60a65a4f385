import { cancelOf } from '@/lib/contracts/agents/run-options'
import { readKey } from '@/lib/contracts/wire/dialect'
import type { StreamEventName } from '@/lib/contracts/wire/stream-modes'
import { isRecord } from '@/lib/json/guards'
import type { LogEntry } from './log'
import { type OpenInterrupt, readInterrupt } from './questions'
import type { Steps } from './steps'
import type { Transcript } from './transcript'
import { type EventName, parseEventName, parseNamespace, type Segment } from './wire/namespaces'
import { jsonOf, readMessage } from './wire/wire-message'

type Event = Extract<LogEntry, { kind: 'event' }>

/** The combined result of all modes' events. */
export type ModeState = {
  run: { id: string | undefined; thread: string | undefined; attempt: number }
  /** Each attempt of the run; a retried run repeats its output. */
  attempts: { attempt: number; seq: number; at: number }[]
  transcript: Transcript
  steps: Steps
  /** Newest `values` text per namespace; the root's key is ''. Values with only interrupts don't count. */
  values: Map<string, { seq: number; at: number; text: string }>
  /** Open interrupts by id. */
  interrupts: Map<string, OpenInterrupt>
  feedback: unknown
  /** The newest custom event as JSON text. */
  custom: { seq: number; text: string } | undefined
  error: { name: string; message: string; namespace: readonly Segment[]; seq: number; at: number } | undefined
  /** Status of the `end` event, if the server sends one. */
  endStatus: string | undefined
  firstTokenAt: number | undefined
  /** Number of events per mode and per namespace, unknown modes included. */
  counters: Map<string, number>
  namespaces: Map<string, number>
}

const INTERRUPT = '__interrupt__'
/** Beside the update of a node whose result came from a cache. */
const METADATA = '__metadata__'

/** Whether a `values` text has nothing but an interrupt, which some servers send and which is no state. */
export function isOnlyInterrupt(text: string): boolean {
  if (!text.includes(`"${INTERRUPT}"`)) return false
  try {
    const data: unknown = JSON.parse(text)
    return isRecord(data) && INTERRUPT in data && Object.keys(data).length === 1
  } catch {
    return false
  }
}

/** Applies one event. Broken or unexpected payloads change nothing; the log has them raw. */
export function applyEvent(state: ModeState, entry: Event): void {
  countEvents(state, entry.event, 1)
  const name = parseEventName(entry.event)
  if (name.mode === 'custom') state.custom = { seq: entry.seq, text: entry.data }
  handlerOf(name.mode)?.(state, entry, name)
}

/** Whether events of that name are only counted, like custom and unknown ones. */
export const isOnlyCounted = (event: string): boolean => !handlerOf(parseEventName(event).mode)

export function countEvents({ counters, namespaces }: ModeState, event: string, number: number): void {
  const { mode, path } = parseEventName(event)
  counters.set(mode, (counters.get(mode) ?? 0) + number)
  if (path !== '') namespaces.set(path, (namespaces.get(path) ?? 0) + number)
}

type Handler = (state: ModeState, entry: Event, name: EventName) => void

/** Events of every stream, whatever its modes. */
type ControlEventName = 'metadata' | 'feedback' | 'error' | 'end'

/** One row per event name. Undefined: events are counted and shown raw, like unknown ones. */
const HANDLERS: Record<StreamEventName | ControlEventName, Handler | undefined> = {
  custom: undefined,
  checkpoints: undefined,
  tools: undefined,

  metadata(state, entry) {
    const data = parse(entry)
    if (!isRecord(data)) return
    const attempt = typeof data.attempt === 'number' ? data.attempt : 1
    if (typeof data.run_id === 'string') state.run.id = data.run_id
    if (typeof data.thread_id === 'string') state.run.thread = data.thread_id
    // A server that is joined again may repeat it.
    if (state.attempts.at(-1)?.attempt === attempt) return
    state.run.attempt = attempt
    state.attempts.push({ attempt, seq: entry.seq, at: entry.at })
    state.steps.retry(attempt, entry.at, entry.seq)
    state.error = undefined
  },

  messages(state, entry, name) {
    const data = parse(entry)
    if (Array.isArray(data)) addStreamed(state, entry, name, data[0], data[1])
  },
  'messages/metadata'(state, entry) {
    const data = parse(entry)
    if (!isRecord(data)) return
    for (const [id, one] of Object.entries(data))
      state.transcript.place(id, whereOf(isRecord(one) ? one.metadata : undefined)?.node)
  },
  'messages/partial': (state, entry, name) => addWhole(state, entry, name, 'replace'),
  'messages/complete': (state, entry, name) => addWhole(state, entry, name, 'complete'),

  values(state, entry, name) {
    if (name.path === '') state.steps.setBoundary('', entry.at, entry.seq)
    // A text search first, because a state may be megabytes and few have an interrupt.
    if (entry.data.includes(`"${INTERRUPT}"`)) {
      const data = parse(entry)
      if (isRecord(data) && INTERRUPT in data) {
        addInterrupts(state, entry, name, data[INTERRUPT])
        if (Object.keys(data).length === 1) return
      }
    }
    state.values.set(name.path, { seq: entry.seq, at: entry.at, text: entry.data })
  },

  updates(state, entry, name) {
    const data = parse(entry)
    if (!isRecord(data)) return
    for (const [node, update] of Object.entries(data)) {
      if (node === INTERRUPT) addInterrupts(state, entry, name, update)
      else if (node !== METADATA) state.steps.update({ ...placed(entry, name), node })
    }
  },

  tasks: (state, entry, name) => addTask(state, entry, name, parse(entry)),
  debug(state, entry, name) {
    // A checkpoint carries the whole state and describes no step.
    if (/"type"\s*:\s*"checkpoint"/.test(entry.data.slice(0, 200))) return
    const data = parse(entry)
    if (isRecord(data) && (data.type === 'task' || data.type === 'task_result'))
      addTask(state, entry, name, data.payload)
  },

  events(state, entry, name) {
    // Only if nothing else has the words, because each token is in several events of this mode.
    if (state.counters.has('messages') || !/"event"\s*:\s*"on_chat_model_stream"/.test(entry.data)) return
    const data = parse(entry)
    if (isRecord(data) && data.event === 'on_chat_model_stream' && isRecord(data.data))
      addStreamed(state, entry, name, data.data.chunk, data.metadata)
  },

  lifecycle(state, entry, name) {
    const data = parse(entry)
    const own = name.namespace.at(-1)
    if (!isRecord(data) || !own?.task) return
    const where = { ...placed(entry, name), node: own.node, namespace: name.namespace.slice(0, -1) }
    if (data.event === 'started') state.steps.start(where, own.task)
    else if (data.event === 'completed') state.steps.finish(where, own.task, 'done')
    else if (data.event === 'failed') state.steps.finish(where, own.task, 'error')
    else if (data.event === 'interrupted') state.steps.finish(where, own.task, 'interrupted')
  },

  feedback(state, entry) {
    state.feedback = parse(entry)
  },
  error(state, entry, name) {
    const data = parse(entry)
    const body = isRecord(data) ? data : { message: entry.data }
    const cancelled = cancelOf(body)
    if (cancelled) {
      state.endStatus = cancelled === 'rollback' ? 'rollback' : 'interrupted'
      state.steps.finishAll(entry.at, entry.seq, 'interrupted')
      return
    }
    const error = {
      name: textOrJson(body.error ?? 'Error'),
      message: textOrJson(body.message ?? ''),
      namespace: name.namespace,
    }
    // The error is repeated at the root, but the inner one tells where it happened.
    if (!state.error || state.error.message !== error.message || name.path !== '')
      state.error = { ...error, seq: entry.seq, at: entry.at }
    state.steps.finishAll(entry.at, entry.seq, 'error')
  },
  end(state, entry) {
    const data = parse(entry)
    // An `error` before it may have told that the run was cancelled.
    state.endStatus = isRecord(data) && typeof data.status === 'string' ? data.status : (state.endStatus ?? 'ended')
  },
}

function handlerOf(eventName: string): Handler | undefined {
  // The name comes from the server, so `__proto__` must not be found.
  return Object.hasOwn(HANDLERS, eventName) ? HANDLERS[eventName as keyof typeof HANDLERS] : undefined // just looked up
}

const parse = (entry: Event): unknown => {
  try {
    return JSON.parse(entry.data)
  } catch {
    return undefined
  }
}

const placed = (entry: Event, { namespace, path }: EventName) => ({ namespace, path, seq: entry.seq, at: entry.at })

/** The task that produced a message, from its metadata: node, namespace and task id. */
function whereOf(metadata: unknown) {
  if (!isRecord(metadata)) return undefined
  const path = text(readKey(metadata, 'checkpoint_ns')) ?? text(metadata.checkpoint_ns)
  const segments = parseNamespace(path ?? '')
  return {
    node: text(readKey(metadata, 'node')) ?? segments.at(-1)?.node,
    namespace: path === undefined ? undefined : segments.slice(0, -1),
    task: segments.at(-1)?.task || undefined,
  }
}
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function addStreamed(state: ModeState, entry: Event, name: EventName, value: unknown, metadata: unknown): void {
  const wire = readMessage(value)
  if (!wire) return
  // The origin is read once per message and attempt, not per chunk.
  const known = wire.id ? state.transcript.byKey(wire.id) : undefined
  const isNew = !known || known.attempt < state.run.attempt
  const where = isNew || known.node === undefined ? whereOf(metadata) : undefined
  const namespace = known?.namespace ?? where?.namespace ?? name.namespace
  const node = known?.node ?? where?.node ?? name.namespace.at(-1)?.node
  const { seq, at } = entry
  // A whole message may arrive after its node has ended.
  if (isNew && node && wire.isChunk) {
    // The event name may end with the producing task; the metadata's namespace is that of its graph.
    const path = namespace.map((one) => `${one.node}:${one.task}`).join('|')
    state.steps.write({ node, namespace, path, seq, at }, where?.task)
  }
  if (state.firstTokenAt === undefined && wire.role === 'ai' && (wire.parts.length > 0 || wire.toolCalls.length > 0))
    state.firstTokenAt = at
  state.transcript.stream(wire, { namespace, node, attempt: state.run.attempt, seq, at })
}

function addWhole(state: ModeState, entry: Event, name: EventName, how: 'replace' | 'complete'): void {
  const data = parse(entry)
  if (!Array.isArray(data)) return
  const { seq, at } = entry
  for (const value of data) {
    const wire = readMessage(value)
    if (!wire) continue
    if (state.firstTokenAt === undefined && wire.role === 'ai' && wire.parts.length > 0) state.firstTokenAt = at
    const origin = { namespace: name.namespace, node: name.namespace.at(-1)?.node, attempt: state.run.attempt, seq, at }
    state.transcript.stream(wire, origin, how)
  }
}

/** Whether a task begins; its end has a result in place of the input. */
export const isTaskStart = (task: Record<string, unknown>): boolean =>
  'triggers' in task || ('input' in task && !('result' in task))

function addTask(state: ModeState, entry: Event, name: EventName, task: unknown): void {
  if (!isRecord(task) || typeof task.name !== 'string') return
  state.steps.tellsTasks = true
  const where = { ...placed(entry, name), node: task.name }
  const id = text(task.id)
  if (isTaskStart(task)) {
    state.steps.start(where, id)
    return
  }
  const hasInterrupts = Array.isArray(task.interrupts) && task.interrupts.length > 0
  const status = task.error ? 'error' : hasInterrupts ? 'interrupted' : 'done'
  const isEmpty = status === 'done' && isEmptyResult(task.result)
  state.steps.finish(where, id, status, { error: task.error ? errorText(task.error) : undefined, isEmpty })
  addInterrupts(state, entry, name, task.interrupts)
}

/** An object, or the older list of pairs. */
const isEmptyResult = (result: unknown): boolean =>
  result === null || result === undefined || (typeof result === 'object' && Object.keys(result).length === 0)

const textOrJson = (value: unknown): string => (typeof value === 'string' ? value : jsonOf(value))

/** The words of a task's error. */
export const errorText = (error: unknown): string => {
  const said = isRecord(error) ? (error.message ?? error.error) : error
  return typeof said === 'string' ? said : jsonOf(error)
}

function addInterrupts(state: ModeState, entry: Event, name: EventName, list: unknown): void {
  if (!Array.isArray(list)) return
  for (const [index, one] of list.filter(isRecord).entries()) {
    const found = readInterrupt(one, `${name.path}#${index}`)
    // It appears in the graph that asked and again in each enclosing one; the innermost came first.
    if (state.interrupts.has(found.id)) continue
    const namespace = found.namespace.length > 0 ? found.namespace : name.namespace
    state.interrupts.set(found.id, { ...found, namespace, seq: entry.seq, at: entry.at })
  }
}

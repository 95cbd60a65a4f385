import { AUTH_KEY } from '@/lib/contracts/wire/dialect'
import type { StreamMode } from '@/lib/contracts/wire/stream-modes'
import { metadataOut, streamMetadataOut } from '../../threads/messages'
import { checkpointOut, interruptOut } from '../../threads/state'

/** Converts the runtime's chunks to wire events, mode by mode. */

type Json = Record<string, unknown>
export type NativeMode = 'values' | 'updates' | 'messages' | 'custom' | 'debug' | 'tasks' | 'checkpoints' | 'tools'

/**
 * The source of each mode: a mode of the runtime, the stream of all events (which costs more than twice as much), or
 * none. The older form of `messages` is built from all events.
 */
const SOURCES: Record<StreamMode, NativeMode | 'all events' | undefined> = {
  'messages-tuple': 'messages',
  values: 'values',
  updates: 'updates',
  custom: 'custom',
  tasks: 'tasks',
  checkpoints: 'checkpoints',
  debug: 'debug',
  events: 'all events',
  messages: 'all events',
  tools: 'tools',
  lifecycle: undefined,
}

/** The requested modes; `values` if none. */
export const requestedModes = (given: StreamMode | StreamMode[] | null | undefined): StreamMode[] => {
  const modes = [...new Set([given ?? []].flat())]
  return modes.length ? modes : ['values']
}

/** The runtime's own modes needed for the requested ones. */
export const nativeModes = (asked: readonly StreamMode[]): NativeMode[] =>
  asked.flatMap((mode) => {
    const source = SOURCES[mode]
    return source === undefined || source === 'all events' ? [] : source
  })

export const needsEvents = (asked: readonly StreamMode[]): boolean =>
  asked.some((mode) => SOURCES[mode] === 'all events')

/**
 * The namespace of the graph that sent an event. The runtime's namespaces of messages and tools also end with the
 * producing task, and with the tasks that called it in the functional API: those run in their caller's graph.
 */
export function graphNamespace(mode: string, namespace: string[], payload: unknown): string[] {
  if (mode === 'tools') return namespace.slice(0, -1)
  if (mode !== 'messages') return namespace
  const [, metadata] = payload as [unknown, { langgraph_path?: unknown } | undefined]
  return namespace.slice(0, -1 - callersOf(metadata?.langgraph_path))
}

/** How many tasks called each other down to the one of this path: only a call's path has its caller's in it. */
const callersOf = (path: unknown): number =>
  Array.isArray(path) && path[3] === true && Array.isArray(path[1]) ? 1 + callersOf(path[1]) : 0

/** The event name: the mode, followed by the namespace below the root. */
export const eventName = (mode: string, namespace: string[], payload: unknown): string =>
  [mode, ...graphNamespace(mode, namespace, payload)].join('|')

export function payloadOut(mode: string, payload: unknown): unknown {
  if (mode === 'messages') {
    const [message, metadata] = payload as [unknown, unknown]
    return [message, streamMetadataOut(metadata)]
  }
  if (mode === 'tasks') return taskOut(payload as Json)
  if (mode === 'checkpoints') return snapshotOut(payload as Json)
  if (mode === 'debug') {
    const { payload: inner, ...event } = payload as { type: string; payload: Json }
    return { ...event, payload: event.type === 'checkpoint' ? snapshotOut(inner) : taskOut(inner) }
  }
  return payload
}

function taskOut({ metadata, interrupts, ...task }: Json): Json {
  return {
    ...task,
    interrupts: interruptsOut(interrupts),
    ...(metadata !== undefined && { metadata: streamMetadataOut(metadata) }),
  }
}

// The runtime gives lists of lists where a task has several.
const interruptsOut = (interrupts: unknown): Json[] =>
  (Array.isArray(interrupts) ? interrupts.flat() : []).map((one) => interruptOut(one as object))

type Config = { configurable?: Json; metadata?: unknown; tags?: unknown; recursion_limit?: unknown; run_id?: unknown }

function snapshotOut({ config, parentConfig, metadata, tasks, ...snapshot }: Json): Json {
  const configurable = (config as Config | undefined)?.configurable
  const parent = (parentConfig as Config | undefined)?.configurable
  return {
    config: configOut(config as Config | undefined),
    parent_config: configOut(parentConfig as Config | undefined),
    ...snapshot,
    metadata: metadataOut(metadata),
    tasks: (tasks as Json[]).map(({ state, interrupts, ...task }) => ({
      ...task,
      interrupts: interruptsOut(interrupts),
      checkpoint: checkpointOut((state as Config | undefined)?.configurable),
    })),
    checkpoint: checkpointOut(configurable),
    parent_checkpoint: checkpointOut(parent),
  }
}

/** Removes callbacks and the runtime's internals, which may be functions and connections. */
function configOut(config: Config | undefined): Json | null {
  if (!config) return null
  const { configurable = {}, metadata, tags, recursion_limit, run_id } = config
  return {
    configurable: Object.fromEntries(
      Object.entries(configurable).filter(([key]) => !key.startsWith('__') && !AUTH_KEY.test(key)),
    ),
    ...(metadata !== undefined && { metadata: metadataOut(metadata) }),
    ...(tags !== undefined && { tags }),
    ...(recursion_limit !== undefined && { recursion_limit }),
    ...(run_id !== undefined && { run_id }),
  }
}

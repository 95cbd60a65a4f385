import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import type { EntryLog } from './entry-log'
import type { LogEntry } from './log'
import { isOnlyInterrupt, isTaskStart } from './modes'

/**
 * The checkpoint id in a thread state or a `checkpoints` or `debug` event; undefined for subgraphs, from which no run
 * can continue.
 */
export function checkpointOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  if (isRecord(value.payload)) return checkpointOf(value.payload)
  const configurable = isRecord(value.config) ? value.config.configurable : undefined
  const place = [value.checkpoint, configurable].find((one) => isRecord(one) && typeof one.checkpoint_id === 'string')
  if (!isRecord(place) || typeof place.checkpoint_id !== 'string') return undefined
  return place.checkpoint_ns === undefined || place.checkpoint_ns === null || place.checkpoint_ns === ''
    ? place.checkpoint_id
    : undefined
}

/** A checkpoint of the root graph: by its id, or as the one at which a task was about to run. */
type Point = { checkpoint: string } | { task: string; node: string }
export type ForkPoint = Point & { seq: number }

/**
 * The checkpoint at an entry, or the nearest before it that the log tells of; `seq` says where. `most`: how many entries
 * are looked at in each direction.
 */
export function forkPointAt(log: EntryLog, at: number, most = Number.POSITIVE_INFINITY): ForkPoint | undefined {
  for (let seq = Math.min(at, log.last); seq >= log.first && at - seq < most; seq--) {
    const entry = log.at(seq)
    const point = entry && (pointOf(entry) ?? (isRootState(entry) ? pointAfter(log, seq, most) : undefined))
    if (point) return { ...point, seq }
  }
  return undefined
}

/** The checkpoint of a streamed state: the one at which the next step began, unless another state came first. */
function pointAfter(log: EntryLog, state: number, most: number): Point | undefined {
  for (let seq = state + 1; seq <= log.last && seq - state < most; seq++) {
    const entry = log.at(seq)
    // What was read at the end may be of a later run.
    if (entry?.kind !== 'event' || isRootState(entry)) return undefined
    const point = pointOf(entry)
    if (point) return point
  }
  return undefined
}

const isRootState = (entry: LogEntry): boolean =>
  entry.kind === 'event' && entry.event === 'values' && !isOnlyInterrupt(entry.data)

function pointOf(entry: LogEntry): Point | undefined {
  if (entry.kind !== 'event') return 'state' in entry ? ofCheckpoint(parse(entry.state ?? '')) : undefined
  if (entry.event === 'checkpoints' || entry.event === 'debug') return ofCheckpoint(parse(entry.data))
  if (entry.event !== 'tasks') return undefined
  const task = parse(entry.data)
  if (!isRecord(task) || !isTaskStart(task)) return undefined
  return typeof task.id === 'string' && typeof task.name === 'string' ? { task: task.id, node: task.name } : undefined
}

function ofCheckpoint(value: unknown): Point | undefined {
  const checkpoint = checkpointOf(value)
  return checkpoint === undefined ? undefined : { checkpoint }
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

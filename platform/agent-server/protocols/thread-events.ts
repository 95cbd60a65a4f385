import { convertToProtocolEvent, isSupportedChannel, matchesSubscription } from '@langchain/langgraph/stream'
import type { ThreadEventsSubscription } from '@/lib/contracts/agents/protocol'
import { invalid } from '../kernel/errors'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import type { Entry } from '../runs/events'
import { IDS_PER_ATTEMPT } from '../runs/hub'
import type { RunReaders } from '../runs/run-readers'
import { isInProgress } from '../runs/run-record'
import { type Cursor, type NumberedRun, ThreadReader, type ThreadView } from '../runs/thread-reader'
import type { ThreadWatch } from '../runs/thread-watch'
import { PROTOCOL_EVENT, type ProtocolBody } from '../runs/wire/protocol-events'
import type { Threads } from '../threads/threads'

export type Filter = Parameters<typeof matchesSubscription>[1] & { since?: number }

/** Numbers of a run's events in protocol 2, of which a million runs of a thread fit, and of one of its hundred attempts. */
const NUMBERS_PER_RUN = 2 ** 33
const NUMBERS_PER_ATTEMPT = 2 ** 26

/** The run of its thread, counted from 1, that an event with this number belongs to. */
export const runOf = (number: number): number => Math.floor(number / NUMBERS_PER_RUN)

/** The number after which the events of a run begin. */
export const firstNumber = (ordinal: number): number => ordinal * NUMBERS_PER_RUN

/** The number of a run's event. Ids leave more room between attempts than there are numbers; the last one is that of the end. */
export const numberOf = (ordinal: number, id: number): number =>
  firstNumber(ordinal) +
  Math.floor(id / IDS_PER_ATTEMPT) * NUMBERS_PER_ATTEMPT +
  Math.min(id % IDS_PER_ATTEMPT, NUMBERS_PER_ATTEMPT - 1) +
  1

/** The id of the run's event with this number; -1 before its first one. */
export function idOf(number: number): number {
  const place = (number % NUMBERS_PER_RUN) - 1
  const inAttempt = place % NUMBERS_PER_ATTEMPT
  const attempt = Math.floor(place / NUMBERS_PER_ATTEMPT)
  return place < 0
    ? -1
    : attempt * IDS_PER_ATTEMPT + (inAttempt < NUMBERS_PER_ATTEMPT - 1 ? inAttempt : IDS_PER_ATTEMPT - 1)
}

/**
 * The events of a thread in protocol 2. They follow from the stored events of its runs, so that they can be read again
 * after a lost connection or a restart.
 */
export class ThreadEvents {
  constructor(
    private readonly services: { db: Db; bus: Bus; threads: Threads; readers: RunReaders; watch: ThreadWatch },
  ) {}

  /** All stored events after `since`, then new ones; resolves once no event can be missed. Throws 404 and 422. */
  async open(
    threadId: string,
    subscription: ThreadEventsSubscription,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const { thread_id } = await this.services.threads.get(threadId)
    const filter = filterOf(subscription)
    const cursor = await this.#cursorOf(thread_id, filter.since ?? 0)
    return new ThreadReader(this.services, thread_id, viewOf(filter), signal).open(cursor)
  }

  /** The run that a number belongs to may be gone; then reading goes on with the next one. */
  async #cursorOf(threadId: string, since: number): Promise<Cursor> {
    const ordinal = runOf(since)
    const [row] = await this.services.db.query<{ seq: number; ordinal: number }>(
      'select seq::float8 as seq, ordinal from runs where thread_id = $1 and ordinal >= $2 order by seq limit 1',
      [threadId, ordinal],
    )
    return {
      seq: row?.seq ?? Number.MAX_SAFE_INTEGER,
      id: row?.ordinal === ordinal ? idOf(since) : -1,
    }
  }
}

/** Throws a 422 for an unknown channel. */
export function filterOf({ channels, namespaces, depth, since }: ThreadEventsSubscription): Filter {
  const unknown = channels.find((channel) => !isSupportedChannel(channel))
  if (unknown) throw invalid(['body', 'channels'], `${unknown} is not a channel`, 'enum')
  return {
    channels,
    ...(namespaces && { namespaces }),
    ...(typeof depth === 'number' && { depth }),
    ...(typeof since === 'number' && { since }),
  } as Filter
}

/** What a subscription gets of the runs of a thread. */
export function viewOf(filter: Filter): ThreadView {
  const wants = (channel: string) => filter.channels.some((one) => one === channel || one.startsWith(`${channel}:`))
  const failed = new Set<string>()
  const begun = new Set<string>()
  return {
    wanted: { isProtocol: true },
    // Others keep no events that could be read again.
    includes: (row) => row.is_resumable,
    framesOf: (row, entries, after) => {
      // The end of a run whose other events are no longer stored.
      const isAllGone = after < 0 && !begun.has(row.run_id) && !isInProgress(row.status) && entries[0]?.event === 'end'
      begun.add(row.run_id)
      if (isAllGone) return []
      return entries.flatMap((entry) => {
        const body = bodyOf(entry, row, wants, failed)
        if (!body) return []
        const seq = numberOf(row.ordinal, entry.id)
        const event = { type: 'event' as const, event_id: String(seq), seq, ...body }
        if (!matchesSubscription(event, filter)) return []
        return [{ id: event.event_id, event: event.method, data: JSON.stringify(event) }]
      })
    },
  }
}

/** The event of protocol 2 that an event of a run stands for. */
function bodyOf(
  { event: name, data, at = Date.now() }: Entry,
  row: NumberedRun,
  wants: (channel: string) => boolean,
  failed: Set<string>,
): ProtocolBody | undefined {
  if (name === PROTOCOL_EVENT) return JSON.parse(data) as ProtocolBody
  const lifecycle = (event: string, more: object = {}): ProtocolBody => ({
    method: 'lifecycle',
    params: { namespace: [], timestamp: at, data: { event, graph_name: row.graph_id, ...more } },
  })
  const [mode = '', ...namespace] = name.split('|')
  switch (mode) {
    case 'metadata':
      return lifecycle('running')
    case 'error':
      failed.add(row.run_id)
      return lifecycle('failed', { error: (JSON.parse(data) as { message?: string }).message })
    case 'end': {
      const { status } = JSON.parse(data) as { status: string }
      const event = { success: 'completed', error: 'failed', timeout: 'failed' }[status] ?? 'interrupted'
      return event === 'failed' && failed.has(row.run_id) ? undefined : lifecycle(event)
    }
    case 'values':
    case 'updates':
    case 'tasks':
    case 'custom': {
      if (!wants(mode)) return undefined
      const payload = withoutInterrupts(JSON.parse(data))
      if (mode !== 'custom' && isEmpty(payload)) return undefined
      const [event] = convertToProtocolEvent({ namespace, mode, payload, seq: 0 } as never)
      return event && { method: event.method, params: { ...event.params, timestamp: at } }
    }
    default:
      return undefined
  }
}

/** Interrupts have their own channel. */
function withoutInterrupts(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('__interrupt__' in payload)) return payload
  const { __interrupt__, ...rest } = payload
  return rest
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

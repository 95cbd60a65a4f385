import { randomUUID } from 'node:crypto'
import { matchesSubscription } from '@langchain/langgraph/stream'
import { ThreadEventsSubscription } from '@/lib/contracts/agents/protocol'
import { parseLeniently } from '../../kernel/lenient'
import { decodeEvents } from '../runs/events'
import { type Filter, filterOf, runOf } from './thread-events'

type Json = Record<string, unknown>
/** Asks one of the thread's operations as an HTTP request with the headers of the handshake. */
export type Ask = (operation: 'commands' | 'stream/events', body: string, signal: AbortSignal) => Promise<Response>
type Subscription = {
  filter: Filter
  /** The last number that it had, of the whole thread and of each run. */
  last: number
  lastOf: Map<number, number>
}
type Output = {
  /** Resolves when more may be sent. */
  send(text: string): Promise<void>
  /** The events cannot be read, for a reason that has a status. */
  refuse(status: number, detail: string): void
  fail(error: Error): void
}

const MAX_SUBSCRIPTIONS = 256
/** Subscriptions that come together are read together. */
const GATHER_MS = 10
/** How often to look whether the thread exists by now. */
const [FIRST_LOOK_MS, LAST_LOOK_MS] = [250, 5000]

/**
 * The events of one socket: a single reader for all of its subscriptions, so that each event is sent once and in order.
 * Clients end a run's subscriptions at its last event, whichever subscription brings it. A new subscription starts
 * another reader, which begins where the subscription does.
 */
export class SocketFeed {
  readonly #subscriptions = new Map<string, Subscription>()
  #reading = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #lookMs = FIRST_LOOK_MS
  #isWaiting = false

  constructor(
    private readonly ask: Ask,
    private readonly output: Output,
  ) {}

  /** The id of the new subscription. Its events follow later; those of a thread that does not exist yet, once it does. Throws for invalid ones. */
  add(params: unknown): string {
    const { data } = parseLeniently(ThreadEventsSubscription, params)
    const filter = filterOf(data as ThreadEventsSubscription)
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new RangeError(`A WebSocket has at most ${MAX_SUBSCRIPTIONS} subscriptions.`)
    const id = randomUUID()
    this.#subscriptions.set(id, { filter, last: filter.since ?? 0, lastOf: new Map() })
    this.#openLater(GATHER_MS)
    return id
  }

  /** Whether there was such a subscription. */
  remove(id: unknown): boolean {
    const isRemoved = this.#subscriptions.delete(String(id))
    if (this.#subscriptions.size === 0) this.close()
    return isRemoved
  }

  /** The thread may exist now. */
  look(): void {
    if (this.#isWaiting) this.#openLater(0)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#reading.abort()
  }

  #openLater(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#reading.abort()
      this.#reading = new AbortController()
      const { signal } = this.#reading
      this.#read(signal).catch((error) => signal.aborted || this.output.fail(error))
    }, ms)
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { ask, output } = this
    const filter = union([...this.#subscriptions.values()])
    const response = await ask('stream/events', JSON.stringify(filter), signal)
    if (signal.aborted) return
    this.#isWaiting = response.status === 404
    if (this.#isWaiting) {
      this.#openLater(this.#lookMs)
      this.#lookMs = Math.min(this.#lookMs * 2, LAST_LOOK_MS)
      return
    }
    if (!response.ok || !response.body) return output.refuse(response.status, await detailOf(response))
    for await (const { id, data } of decodeEvents(response.body)) {
      if (signal.aborted) return
      if (this.#take(Number(id), data)) await output.send(data)
    }
    if (!signal.aborted) output.refuse(404, 'The thread was deleted.')
  }

  /** Whether a subscription is without this event. */
  #take(number: number, data: string): boolean {
    const run = runOf(number)
    let event: Parameters<typeof matchesSubscription>[0] | undefined
    let isWanted = false
    for (const one of this.#subscriptions.values()) {
      if (number <= (one.lastOf.get(run) ?? one.filter.since ?? 0)) continue
      one.lastOf.set(run, number)
      one.last = Math.max(one.last, number)
      if (isWanted) continue
      event ??= JSON.parse(data) as NonNullable<typeof event>
      isWanted = matchesSubscription(event, one.filter)
    }
    return isWanted
  }
}

/** What at least one subscription wants, or more, after what all of them had. */
function union(subscriptions: readonly Subscription[]): Filter {
  const filters = subscriptions.map(({ filter }) => filter)
  const place = ({ namespaces, depth }: Filter) => ({
    ...(namespaces && { namespaces }),
    ...(depth !== undefined && { depth }),
  })
  const [first, ...others] = [...new Set(filters.map((filter) => JSON.stringify(place(filter))))]
  return {
    channels: [...new Set(filters.flatMap(({ channels }) => channels))],
    ...(others.length === 0 && (JSON.parse(first ?? '{}') as object)),
    since: Math.min(...subscriptions.map(({ last }) => last)),
  } as Filter
}

/** The reason in a refusal of an operation. */
export async function detailOf(response: Response): Promise<string> {
  const { detail } = ((await response.json().catch(() => undefined)) ?? {}) as Json
  if (typeof detail === 'string') return detail
  const issues = Array.isArray(detail) ? (detail as { loc?: unknown[]; msg?: string }[]) : []
  return issues.map(({ loc = [], msg = '' }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ') || 'The request failed.'
}

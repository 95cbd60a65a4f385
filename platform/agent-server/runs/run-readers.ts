import { eventsOf } from '@/lib/contracts/wire/stream-modes'
import { describeError } from '../kernel/errors'
import { encode, toPlain } from '../threads/messages'
import { interruptOut } from '../threads/state'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import { type Entry, encodeEvent, HEARTBEAT, HEARTBEAT_MS, type LogReader, type Outcome, type RunLog } from './events'
import type { Hub } from './hub'
import { type CancelAction, isInProgress, type RunRow } from './run-record'
import type { Runs } from './runs'
import { PROTOCOL_EVENT } from './wire/protocol-events'

/** Part of every stream, whatever modes and namespaces the reader selects. */
const ALWAYS = new Set(['metadata', 'error', 'end'])

export type ReadOptions = {
  /** The reader's last event id; -1 for the whole run. Works only for runs that store their events. */
  after?: number
  modes?: readonly string[]
  namespaces?: readonly string[]
  /** Also the events that only protocol 2 has. */
  isProtocol?: boolean
  /** Also reads the stored events of runs that cannot be resumed, where they are stored for another process. */
  isOfThread?: boolean
  signal: AbortSignal
  /** Called if the reader disconnects before the run ends. */
  onLeave?: () => void
}

/** A run whose record was removed with its temporary thread; its events are kept for a while. */
export type DeletedRun = { run_id: string; status: 'gone'; is_resumable: true }

/** `reader`: attached before the run was created. */
export type RunSubscription = { log: RunLog; reader?: LogReader; release(): void }

/** Reads runs in any process and any state: pending, running or ended. */
export class RunReaders {
  #readers = 0

  constructor(
    private readonly hub: Hub,
    private readonly runs: Runs,
    private readonly threads: Threads,
    private readonly states: ThreadStates,
    private readonly heartbeatMs = HEARTBEAT_MS,
  ) {}

  /** Streams and waits that are open now. */
  get openCount(): number {
    return this.#readers
  }

  /** Subscribes to a run before it is created, because it may start before its creation returns. */
  subscribe(runId: string, wanted: Pick<ReadOptions, 'modes' | 'namespaces' | 'isProtocol'>): RunSubscription {
    const { log, release } = this.hub.acquire(runId)
    const reader = log.attach(filterOf(wanted))
    return {
      log,
      reader,
      release: () => {
        log.detach(reader)
        release()
      },
    }
  }

  /**
   * A run's events as a response body, with comments while idle. Without a `subscription` from before the run, it sends
   * events from now on, and with `after` the stored ones before.
   */
  async stream(
    run: RunRow | DeletedRun,
    options: ReadOptions,
    subscription?: RunSubscription,
  ): Promise<ReadableStream<Uint8Array>> {
    const reader = watchReader(options)
    const events = this.#follow(
      run,
      { ...options, signal: reader.signal, isIntroduced: true },
      subscription ?? this.hub.acquire(run.run_id),
      !subscription,
    )
    // Attach before sending the headers: a joining reader may rely on every event after them.
    let first: IteratorResult<Entry[]> | undefined = await events.next()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = first ?? (await events.next())
            first = undefined
            if (!done)
              return controller.enqueue(Buffer.from(value.length ? value.map(encodeEvent).join('') : HEARTBEAT))
            reader.finish()
            controller.close()
          } catch (error) {
            reader.finish()
            controller.error(error)
          }
        },
        cancel: async () => {
          reader.leave()
          await events.return(undefined)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Blank lines while the run is in progress, then its result as JSON. */
  respond(run: RunRow, options: ReadOptions, subscription?: RunSubscription): ReadableStream<Uint8Array> {
    const { log, reader: attached, release }: RunSubscription = subscription ?? this.hub.acquire(run.run_id)
    const reader = watchReader(options)
    const follower = { log, reader: attached, release: () => {} }
    const events = this.#follow(run, { signal: reader.signal, modes: [] }, follower, !subscription)
    const respond = async () => {
      try {
        return encode(resultOf(await this.outcome(run, log)))
      } catch (error) {
        return encode({ __error__: describeError(error) })
      }
    }
    let isOver = false
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            if (isOver) return
            for (;;) {
              const { done, value } = await events.next()
              if (!done && value.length) continue
              if (!done) return controller.enqueue(Buffer.from('\n'))
              isOver = true
              reader.finish()
              controller.enqueue(Buffer.from(await respond()))
              release()
              return controller.close()
            }
          } catch (error) {
            reader.finish()
            release()
            controller.error(error)
          }
        },
        cancel: async () => {
          reader.leave()
          await events.return(undefined)
          release()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** The events, for readers in this process; yields an empty list while idle. Releases `subscription`. */
  read(run: RunRow, options: ReadOptions, subscription?: RunSubscription): AsyncGenerator<Entry[], undefined> {
    return this.#follow(run, options, subscription ?? this.hub.acquire(run.run_id), !subscription)
  }

  /** How a finished run ended; `log` is the one held during the run. */
  async outcome(run: RunRow, log?: RunLog): Promise<Outcome> {
    if (log?.outcome) return log.outcome
    const [row, thread] = await Promise.all([
      this.runs.find(run.run_id),
      this.threads.get(run.thread_id).catch(() => undefined),
    ])
    const snapshot = thread && (await this.states.snapshot(thread))
    return { status: row?.status ?? 'rollback', snapshot, error: row?.error ?? undefined }
  }

  /** Resolves when the run has ended, wherever it executes. */
  async ended(run: RunRow, signal: AbortSignal): Promise<void> {
    for await (const _ of this.#follow(run, { signal, modes: [] }, this.hub.acquire(run.run_id), true))
      if (signal.aborted) return
  }

  async *#follow(
    run: RunRow | DeletedRun,
    { after, signal, isIntroduced, isOfThread, ...wanted }: ReadOptions & { isIntroduced?: boolean },
    { log, reader: attached, release }: RunSubscription,
    isLate: boolean,
  ): AsyncGenerator<Entry[], undefined> {
    let reader: LogReader | undefined
    let last = after ?? -1
    const onAbort = () => reader?.end()
    this.#readers += 1
    try {
      const wants = filterOf(wanted)
      if (isLate && run.status !== 'gone' && isInProgress(run.status)) await this.hub.follow(run as RunRow)
      reader = attached ?? log.attach(wants)
      signal.addEventListener('abort', onAbort, { once: true })
      let hasEnd = false
      const isStored = run.is_resumable || (isOfThread && run.status !== 'gone' && run.is_watched)
      if (isLate && after !== undefined && isStored)
        for await (const page of this.hub.stored(
          run.run_id,
          after,
          isInProgress(run.status) ? log.lastId : undefined,
        )) {
          const wanted = page.filter(({ event }) => wants(event))
          hasEnd ||= page.some(({ event }) => event === 'end')
          last = page.at(-1)?.id ?? last
          if (wanted.length) yield wanted
        }
      // The response can start: nothing is missed from here on.
      yield isIntroduced && isLate && after === undefined && run.status === 'running'
        ? introduction(run as RunRow, log.lastId)
        : []
      if (isInProgress(run.status) && !hasEnd)
        for (
          let taken = await reader.take(this.heartbeatMs);
          taken && !signal.aborted;
          taken = await reader.take(this.heartbeatMs)
        ) {
          if (taken.length === 0) await this.hub.check(run.run_id)
          // The process that died may have sent an event that was still on its way to the database.
          const fresh = taken.filter(({ id }) => id > last)
          hasEnd ||= fresh.some(({ event }) => event === 'end')
          yield fresh
        }
      if (hasEnd || signal.aborted) return
      const row = await this.runs.find(run.run_id)
      // A thread's reader may have the end already, from another process, and tells by its id.
      const id = row && isOfThread && isStored ? await this.hub.endId(row) : Math.max(log.lastId, last) + 1
      yield [endOf(run.run_id, id, row?.status)]
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (reader) log.detach(reader)
      release()
      this.#readers -= 1
    }
  }
}

/** An end event for a run whose own events are no longer available. */
const endOf = (runId: string, id: number, status: string = 'rollback' satisfies CancelAction): Entry => ({
  id,
  event: 'end',
  data: encode({ run_id: runId, status }),
})

/** What a run sends first, for readers that join later. Its id is that of the last event they missed. */
const introduction = ({ run_id, attempt }: RunRow, lastId: number): Entry[] => [
  { id: lastId, event: 'metadata', data: encode({ run_id, attempt }) },
]

/** Distinguishes a reader that disconnected from one that read to the end. */
function watchReader({ signal, onLeave }: ReadOptions) {
  const left = new AbortController()
  let isFinished = false
  const both = AbortSignal.any([signal, left.signal])
  const leave = () => !isFinished && onLeave?.()
  if (both.aborted) leave()
  else both.addEventListener('abort', leave, { once: true })
  return {
    signal: both,
    leave: () => left.abort(),
    finish: () => {
      isFinished = true
    },
  }
}

/** The final state, or an error instead of it; includes open interrupts. */
export function resultOf({ snapshot, error }: Outcome): unknown {
  if (error) return { __error__: error }
  if (!snapshot) return null
  const interrupts = snapshot.tasks.flatMap((task) => task.interrupts.map(interruptOut))
  const values = toPlain(snapshot.values)
  return interrupts.length ? { ...(values as object), __interrupt__: interrupts } : values
}

function filterOf({
  modes,
  namespaces,
  isProtocol = false,
}: Pick<ReadOptions, 'modes' | 'namespaces' | 'isProtocol'>): (event: string) => boolean {
  if (!modes && !namespaces) return (event) => isProtocol || event !== PROTOCOL_EVENT
  const wanted = modes && new Set(modes.flatMap(eventsOf))
  return (event) => {
    if (ALWAYS.has(event)) return true
    if (event === PROTOCOL_EVENT) return false
    const [mode = '', ...namespace] = event.split('|')
    if (wanted && !wanted.has(mode)) return false
    return !namespaces || namespaces.some((one) => namespace.join('|').startsWith(one))
  }
}

import 'server-only'
import type { Subscription } from '@/lib/contracts/wire/live'
import type { Actor } from '../access/actor'
import { metrics } from '../process/metrics'
import { type Chunk, chunkAfter } from '../recorder/log/chunk'
import type { RecordingLog } from '../recorder/log/recording-log'
import { type OpenRecording, openRecording } from '../records/recordings'
import { entriesFrame, frame } from '../transport/frames'
import type { Source } from './source'

type Wanted = Extract<Subscription, { kind: 'recording' }>

type Made = { id: string; from: number; last: number; total: number; phase: string; parts: Buffer[] }
/** The last frame made from each log, shared by viewers at its end that use the same subscription id. */
const frames = new WeakMap<RecordingLog, Made>()

/** A recording from the viewer's cursor on. Between frames a viewer costs nothing but its cursor. */
export class RecordingSource implements Source {
  readonly id: string
  readonly workspace: string
  readonly #actor: Actor
  readonly #recording: string
  readonly #onNews: () => void
  #cursor: number
  #epoch: number | undefined
  /** Started while the response headers are still being sent. */
  #opening: Promise<OpenRecording> | undefined
  #open: OpenRecording | undefined
  #unsubscribe = () => {}
  /** The last phase sent to the viewer. */
  #told: string | undefined
  #isClosed = false

  constructor(actor: Actor, wanted: Wanted, onNews: () => void) {
    this.#actor = actor
    this.id = wanted.id
    this.workspace = wanted.workspace
    this.#recording = wanted.recording
    this.#cursor = wanted.cursor
    this.#epoch = wanted.epoch
    this.#onNews = onNews
    this.#opening = this.#reopen()
    this.#opening.catch(() => {}) // sent with the next frames
  }

  take(maxBytes: number): Buffer[] | Promise<Buffer[]> {
    const open = this.#open
    if (!open || open.log.isAbandoned) return this.#begin(maxBytes)
    const chunks = open.read(this.#cursor, maxBytes)
    if (open.log.outage && Array.isArray(chunks) && chunks.length === 0) {
      this.#told = undefined // the end of the outage is told with the next frame
      throw open.log.outage
    }
    return Array.isArray(chunks)
      ? this.#frame(open.log, chunks)
      : chunks.then((stored) => this.#frame(open.log, stored))
  }

  get hasMore(): boolean {
    const log = this.#open?.log
    return !log || log.isAbandoned || this.#cursor < log.last || this.#told !== log.phase
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
  }

  #reopen(): Promise<OpenRecording> {
    return openRecording(this.#actor, { workspace: this.workspace, recording: this.#recording })
  }

  async #begin(maxBytes: number): Promise<Buffer[]> {
    const opening = this.#opening ?? this.#reopen()
    this.#opening = undefined // a failed one is not asked again
    const open = await opening
    const { log } = open
    if (this.#isClosed) return []
    this.#unsubscribe()
    this.#open = open
    this.#told = undefined
    this.#unsubscribe = log.subscribe(this.#onNews)
    const { epoch } = log
    const isOther = this.#epoch !== undefined && this.#epoch !== epoch
    const survived = Math.min(...log.cuts.slice(this.#epoch ?? epoch))
    if (this.#cursor > survived) this.#cursor = 0
    this.#epoch = epoch
    const reset = isOther ? [frame({ id: this.id, reset: true, epoch, cursor: this.#cursor })] : []
    return [...reset, ...(await this.take(maxBytes))]
  }

  #frame(log: RecordingLog, chunks: readonly Chunk[]): Buffer[] {
    const { last: total, epoch, phase } = log
    if (chunks.length === 0 && phase === this.#told) return []
    const { id } = this
    const from = this.#cursor
    const last = chunks.at(-1)?.last ?? 0
    this.#told = phase
    this.#cursor = Math.max(from, last)
    metrics().eventsSent.inc(this.#cursor - from)
    const known = frames.get(log)
    if (
      known?.from === from &&
      known.last === last &&
      known.total === total &&
      known.phase === phase &&
      known.id === id
    )
      return known.parts
    const parts = entriesFrame({ id, total, epoch, phase }, encoded(chunks, from))
    if (chunks.length === 1 && log.listeners > 1) frames.set(log, { id, from, last, total, phase, parts })
    return parts
  }
}

function encoded(chunks: readonly Chunk[], from: number): Buffer[] {
  let cursor = from
  return chunks.flatMap((chunk) => {
    const bytes = chunkAfter(chunk, cursor)
    cursor = Math.max(cursor, chunk.last)
    return bytes ? [bytes] : []
  })
}

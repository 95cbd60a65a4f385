import 'server-only'
import type { Subscription } from '@/lib/contracts/wire/live'
import { AppError } from '@/lib/errors'
import { type Chunk, chunkAfter } from '../recorder/chunk'
import type { RecordingLog } from '../recorder/recording-log'
import { recorderHub } from '../recorder/shared-hub'
import { readChunks } from '../records/recordings'
import { entriesFrame, frame } from '../transport/frames'
import type { Source } from './source'

type Wanted = Extract<Subscription, { kind: 'recording' }>

type Made = { id: string; from: number; last: number; total: number; phase: string; parts: Buffer[] }
/** The last frame made from each log: viewers at its end who call it by the same name share the bytes. */
const frames = new WeakMap<RecordingLog, Made>()

/** A recording from the viewer's cursor on. All that a viewer costs between frames is its cursor. */
export class RecordingSource implements Source {
  readonly id: string
  readonly workspace: string
  readonly #recording: string
  readonly #onNews: () => void
  #cursor: number
  #epoch: number | undefined
  #log: RecordingLog | undefined
  #unsubscribe = () => {}
  /** The phase that the viewer was last told; it is told anew when that changes. */
  #told: string | undefined
  #isClosed = false

  constructor(wanted: Wanted, onNews: () => void) {
    this.id = wanted.id
    this.workspace = wanted.workspace
    this.#recording = wanted.recording
    this.#cursor = wanted.cursor
    this.#epoch = wanted.epoch
    this.#onNews = onNews
    // What memory does not hold is read while the answer's headers are on their way; if that fails, the reader is told then.
    recorderHub()
      .log(this.#recording)
      .catch(() => {})
  }

  take(maxBytes: number): Buffer[] | Promise<Buffer[]> {
    const log = this.#log
    if (!log || log.isAbandoned) return this.#open(maxBytes)
    const chunks = log.read(this.#cursor, maxBytes)
    return chunks
      ? this.#frame(log, chunks)
      : readChunks(log, this.#cursor, maxBytes).then((stored) => this.#frame(log, stored))
  }

  get hasMore(): boolean {
    const log = this.#log
    return !log || log.isAbandoned || this.#cursor < log.last || this.#told !== log.phase
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
  }

  async #open(maxBytes: number): Promise<Buffer[]> {
    const log = await recorderHub().log(this.#recording)
    // Rights were checked for that workspace.
    if (log.workspace !== this.workspace)
      throw new AppError('not_found', 'There is no such recording in this workspace.')
    if (this.#isClosed) return []
    this.#unsubscribe()
    this.#log = log
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
    if (chunks.length === 1) frames.set(log, { id, from, last, total, phase, parts })
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

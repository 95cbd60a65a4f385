import 'server-only'
import type { Subscription } from '@/lib/contracts/live'
import { AppError } from '@/lib/errors'
import { type Chunk, chunkAfter } from '../recorder/chunk'
import { readChunks, readRecording } from '../recorder/read'
import type { RecordingLog } from '../recorder/recording-log'
import { recorderHub } from '../recorder/shared-hub'
import { entriesFrame, frame } from './frames'
import type { Source } from './source'

type Wanted = Extract<Subscription, { kind: 'recording' }>

/** The last frame made from each log: viewers at its end who call it by the same name share the bytes. */
const frames = new WeakMap<RecordingLog, { key: string; parts: Buffer[] }>()

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
  /** What the viewer was last told besides entries; it is told anew when that changes. */
  #told = ''
  #isClosed = false

  constructor(wanted: Wanted, onNews: () => void) {
    this.id = wanted.id
    this.workspace = wanted.workspace
    this.#recording = wanted.recording
    this.#cursor = wanted.cursor
    this.#epoch = wanted.epoch
    this.#onNews = onNews
  }

  take(maxBytes: number): Buffer[] | Promise<Buffer[]> {
    const log = this.#log
    if (!log || log.isAbandoned) return this.#open(maxBytes)
    const chunks = log.read(this.#cursor, maxBytes)
    return chunks
      ? this.#frame(log, chunks)
      : readChunks(log, this.#cursor, maxBytes).then((stored) => this.#frame(log, stored))
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
  }

  async #open(maxBytes: number): Promise<Buffer[]> {
    // Once per stream: whether the recording belongs to the workspace that rights were checked for.
    if (!this.#log && (await readRecording(this.#recording)).workspace !== this.workspace)
      throw new AppError('not_found', 'There is no such recording in this workspace.')
    const log = await recorderHub().log(this.#recording)
    if (this.#isClosed) return []
    this.#unsubscribe()
    this.#log = log
    this.#told = ''
    this.#unsubscribe = log.subscribe(this.#onNews)
    const survived = Math.min(...log.cuts.slice(this.#epoch ?? log.epoch))
    this.#epoch = log.epoch
    if (this.#cursor <= survived) return await this.take(maxBytes)
    this.#cursor = 0
    return [frame({ id: this.id, reset: true, epoch: log.epoch }), ...(await this.take(maxBytes))]
  }

  #frame(log: RecordingLog, chunks: readonly Chunk[]): Buffer[] {
    const { last: total, epoch, phase } = log
    const state = `${phase} ${epoch}`
    if (chunks.length === 0 && state === this.#told) return []
    const key = `${this.id} ${this.#cursor} ${chunks.at(-1)?.last ?? 0} ${total} ${state}`
    this.#told = state
    const known = frames.get(log)
    const parts =
      known?.key === key ? known.parts : entriesFrame({ id: this.id, total, epoch, phase }, this.#encoded(chunks))
    if (known?.key !== key && chunks.length === 1) frames.set(log, { key, parts })
    this.#cursor = Math.max(this.#cursor, chunks.at(-1)?.last ?? 0)
    return parts
  }

  #encoded(chunks: readonly Chunk[]): Buffer[] {
    let cursor = this.#cursor
    return chunks.flatMap((chunk) => {
      const bytes = chunkAfter(chunk, cursor)
      cursor = Math.max(cursor, chunk.last)
      return bytes ? [bytes] : []
    })
  }
}

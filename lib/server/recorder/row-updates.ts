import 'server-only'
import { log } from '../process/log'
import { updateRecording } from './store'

type Patch = Parameters<typeof updateRecording>[1]
const AGAIN_MS = 1_000

/** Writes to the row of a recording in the background, in order. What the store does not take is written later. */
export class RowUpdates {
  /** What the store has not taken yet. */
  #unwritten: Patch = {}
  #last: Promise<void> = Promise.resolve()

  constructor(
    private readonly id: string,
    private readonly instance: number,
    private readonly on: {
      /** From then on the row is written together with the end. */
      isEnded: () => boolean
      written: () => void
      /** Another instance owns the recording. */
      lost: () => void
      stopped: AbortSignal
    },
  ) {}

  add(patch: Patch): void {
    this.#unwritten = { ...this.#unwritten, ...patch }
    this.#last = this.#last
      .then(() => this.#write())
      .catch((error: unknown) => {
        log.warn('recorder.row_not_updated', { recording: this.id, error })
        if (!this.on.stopped.aborted) setTimeout(() => this.add({}), AGAIN_MS).unref()
      })
  }

  /** Resolves once the store has answered. */
  get settled(): Promise<void> {
    return this.#last
  }

  get isWritten(): boolean {
    return Object.keys(this.#unwritten).length === 0
  }

  /** Writes this now, with all that the store has not taken. Throws if the store is away. */
  async writeWith(patch: Patch): Promise<boolean> {
    return await updateRecording(this.id, { ...this.#unwritten, ...patch }, { instance: this.instance, isOwner: true })
  }

  async #write(): Promise<void> {
    const patch = this.#unwritten
    if (this.isWritten || this.on.isEnded()) return
    if (!(await this.writeWith({}))) {
      this.on.lost()
      throw new Error('Another console instance has taken this recording over.')
    }
    this.#unwritten = Object.fromEntries(
      Object.entries(this.#unwritten).filter(([name, value]) => patch[name as keyof Patch] !== value),
    )
    this.on.written()
  }
}

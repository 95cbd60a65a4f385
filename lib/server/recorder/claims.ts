import 'server-only'
import { storeOutage } from '../process/db'
import { log } from '../process/log'
import { mapConcurrent } from '../process/map-concurrent'
import type { ActiveRecorder } from './active-recorder'
import { CLAIMED_AT_ONCE, claimAgain, claimRecordings, type RecordingRow } from './store'

/** After a failure of the store, a take-over is tried again. */
const AGAIN_MS = 1_000

export type TakeOver = (row: RecordingRow, wasCrash: boolean) => Promise<void>

/** Takes over the recordings that no instance records any more. */
export class Claims {
  /** Recordings that are being taken over. */
  readonly #beginning = new Set<string>()
  #claiming: Promise<void> | undefined

  constructor(
    private readonly instance: number,
    private readonly recorders: ReadonlyMap<string, ActiveRecorder>,
    private readonly takeOver: TakeOver,
    private readonly stopped: AbortSignal,
  ) {}

  /** The claim that is under way. */
  get underWay(): Promise<void> | undefined {
    return this.#claiming
  }

  /** Takes over what nobody records. A call while one is under way joins it. */
  claim(): Promise<void> {
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined
    })
    return this.#claiming
  }

  async #claim(): Promise<void> {
    // One portion after another, so that other instances get their share and viewers wait for none but the first.
    for (let isMore = true; isMore && !this.stopped.aborted; ) {
      const claimed = await claimRecordings(this.instance)
      isMore = claimed.length === CLAIMED_AT_ONCE
      await mapConcurrent(claimed, ({ row, wasCrash }) => this.#begin(row, wasCrash))
    }
  }

  async #begin(row: RecordingRow, wasCrash: boolean): Promise<void> {
    // The store was unreachable for longer than a lease.
    if (this.recorders.has(row.id) || this.#beginning.has(row.id)) return
    log.info('recorder.taken_over', { recording: row.id, wasCrash })
    this.#beginning.add(row.id)
    try {
      await this.takeOver(row, wasCrash)
      if (this.stopped.aborted) await this.recorders.get(row.id)?.stop('shutdown')
    } catch (error) {
      log.error('recorder.take_over_failed', { recording: row.id, error })
      if (storeOutage(error)) this.#beginLater(row.id)
    } finally {
      this.#beginning.delete(row.id)
    }
  }

  /** Until the lease ends, no other instance would. */
  #beginLater(id: string): void {
    const again = async () => {
      const row = this.stopped.aborted ? undefined : await claimAgain(id, this.instance)
      if (row) await this.#begin(row, true)
    }
    setTimeout(() => void again().catch(() => this.#beginLater(id)), AGAIN_MS).unref()
  }
}

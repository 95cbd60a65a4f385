import type { LogLine } from '@/lib/contracts/deployments/logs'
import type { LiveError } from '@/lib/errors'
import { type Entries, entriesAfter } from '@/lib/stream/entry-text'
import type { OwnFrame } from './connection'
import type { Wanted } from './router'

export type EntriesInfo = { total: number; phase: 'starting' | 'live' | 'reconnecting' | 'ended'; epoch: number }

/** A subscriber's callbacks. Entries arrive once and in order; entry 1 after others means that the log starts again. */
export type Handlers = {
  onEntries?: (entries: Entries, info: EntriesInfo) => void
  /**
   * Entries of a log. Its first number is above 1 if old lines were dropped, and it may start again in another epoch.
   */
  onLines?: (lines: LogLine[], info: EntriesInfo) => void
  /** `at`: when the value was read, epoch ms. */
  onValue?: (value: unknown, at: number) => void
  onError?: (error: LiveError) => void
}

type Numbered = Extract<Wanted, { cursor: number }>

/** One subscriber of this tab with its place in the log. */
export class Follower {
  readonly wanted: Wanted
  readonly #handlers: Handlers
  readonly #onHole: () => void

  constructor(wanted: Wanted, handlers: Handlers, onHole: () => void) {
    this.wanted = { ...wanted }
    this.#handlers = handlers
    this.#onHole = onHole
  }

  receive(frame: OwnFrame): void {
    if ('value' in frame) this.#handlers.onValue?.(frame.value, frame.at)
    else if ('error' in frame) this.#handlers.onError?.(frame.error)
    else if ('cursor' in this.wanted && !this.#goOn(frame, this.wanted)) this.#onHole()
  }

  /** False if the frame does not follow what we have. */
  #goOn(frame: Exclude<OwnFrame, { value: unknown } | { error: unknown }>, wanted: Numbered): boolean {
    if ('reset' in frame) {
      // The reset may be for another follower of the same subscription, one that has less.
      if (wanted.kind === 'recording' && frame.cursor > 0 && frame.cursor !== wanted.cursor) return false
      wanted.cursor = frame.cursor
      wanted.epoch = frame.epoch
      return true
    }
    // Another epoch without a reset: the numbers alone don't show whether it continues what we have.
    if (wanted.epoch !== undefined && wanted.epoch !== frame.epoch) return false
    const { cursor } = wanted
    const given = frame.entries as Entries // or lines, which have the same numbering
    const entries = (given.at(0)?.seq ?? 0) > cursor ? given : entriesAfter(given, cursor)
    const first = entries.at(0)
    if (first && first.seq !== cursor + 1) return false
    wanted.cursor = entries.at(-1)?.seq ?? cursor
    wanted.epoch = frame.epoch
    const { total, phase, epoch } = frame
    if (wanted.kind === 'logs') this.#handlers.onLines?.(entries as unknown as LogLine[], { total, phase, epoch })
    else this.#handlers.onEntries?.(entries, { total, phase, epoch })
    return true
  }
}

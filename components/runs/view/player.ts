import type { EntryLog } from '@/lib/stream/entry-log'
import type { LogEntry } from '@/lib/stream/log'
import { browserClock, type RunClock } from './browser-clock'
import { RunStore } from './run-store'

export const SPEEDS = [1, 2, 5, 10, 20] as const
export type Speed = (typeof SPEEDS)[number]

/** Entries passed to the store at a time; the store applies them in its own slices. */
const BATCH = 4_096

/**
 * Replays a recorded log into its own store, at any speed and from any time. Jumping forward applies the entries in between;
 * jumping back restarts the view.
 */
export class Player {
  readonly store: RunStore
  readonly #log: EntryLog
  readonly #clock: RunClock
  readonly #start: number
  readonly lengthMs: number
  #positionMs = 0
  #given = 0
  #speed: Speed = 1
  #isPlaying = false
  #tickedAt = 0
  readonly #listeners = new Set<() => void>()
  #version = 0

  /** The log must be loaded from its first entry. */
  constructor(log: EntryLog, clock: RunClock = browserClock) {
    this.#log = log
    this.#clock = clock
    this.store = new RunStore(clock)
    this.#start = log.at(1)?.at ?? 0
    this.lengthMs = Math.max(0, (log.at(log.last)?.at ?? this.#start) - this.#start)
  }

  get positionMs(): number {
    return this.#positionMs
  }
  get isPlaying(): boolean {
    return this.#isPlaying
  }
  get speed(): Speed {
    return this.#speed
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  readonly getVersion = (): number => this.#version

  play(): void {
    if (this.#isPlaying) return
    if (this.#positionMs >= this.lengthMs) this.seek(0)
    this.#isPlaying = true
    this.#tickedAt = this.#clock.now()
    this.#clock.nextFrame(this.#tick)
    this.#tell()
  }

  pause(): void {
    this.#isPlaying = false
    this.#tell()
  }

  setSpeed(speed: Speed): void {
    this.#speed = speed
    this.#tell()
  }

  /** In milliseconds from the recording's first entry. */
  seek(positionMs: number): void {
    this.#positionMs = Math.max(0, Math.min(positionMs, this.lengthMs))
    const target = this.#seqAt(this.#positionMs)
    if (target < this.#given) {
      this.store.discard()
      this.#given = 0
    }
    this.#give(target)
    this.#tell()
  }

  readonly #tick = (): void => {
    if (!this.#isPlaying) return
    const now = this.#clock.now()
    const passed = (now - this.#tickedAt) * this.#speed
    this.#tickedAt = now
    this.seek(this.#positionMs + passed)
    if (this.#positionMs >= this.lengthMs) this.pause()
    else this.#clock.nextFrame(this.#tick)
  }

  #give(target: number): void {
    while (this.#given < target) {
      const entries: LogEntry[] = []
      const until = Math.min(target, this.#given + BATCH)
      for (let seq = this.#given + 1; seq <= until; seq++) {
        const entry = this.#log.at(seq)
        if (entry) entries.push(entry)
      }
      this.#given = until
      this.store.feed.entries(entries, { total: target, phase: 'live' })
    }
  }

  /** The last entry at or before a time, or the first one. Entry times are ordered except for small clock corrections. */
  #seqAt(positionMs: number): number {
    const time = this.#start + positionMs
    if (positionMs >= this.lengthMs) return this.#log.last
    let low = 1
    let high = this.#log.last
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#log.at(middle)?.at ?? 0) <= time) low = middle
      else high = middle - 1
    }
    return low
  }

  #tell(): void {
    this.#version++
    for (const listener of this.#listeners) listener()
  }
}

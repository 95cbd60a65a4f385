import type { Entries } from '@/lib/stream/entry-text'
import type { RecordingSummary } from '@/lib/stream/log'
import { applyEntries, createRunView, MissingEntryError, type RunView } from '@/lib/stream/run-view'
import { browserClock, type RunClock } from './browser-clock'

/** How a live connection hands a recording over. */
export type RunFeed = {
  entries: (entries: Entries, info: { total: number; phase: RecordingSummary['phase'] }) => void
  error: (error: RunError) => void
}
export type RunError = { code: string; message: string }

/** Longest stretch of applying entries at a time: leaves most of a 16 ms frame to the page. */
const SLICE_MS = 8

/**
 * So many entries since the last repaint are a flood, which nobody reads: it is drawn now and then (the seldomer, the more
 * comes), when it pauses, and at the run's end.
 */
const FLOOD = 500
const FLOOD_MS = 100
const FLOOD_MS_PER_ENTRY = 0.02
const LONGEST_FLOOD_MS = 300
const PAUSE_MS = 50

/**
 * A recording as the page follows it. Entries are applied to the view outside React, a slice at a time; listeners hear of
 * it at most once per animation frame, and what they read (`version`) moves only then: a component that renders for
 * another reason in between sees the same version as before.
 */
export class RunStore {
  readonly view: RunView
  /** Entries the server has, for "replaying k of n". */
  total = 0
  /** What the recorder does, as it last said. */
  phase: RecordingSummary['phase'] | undefined
  error: RunError | undefined
  /** The view stands still; what comes meanwhile is only counted, and asked for again afterwards. */
  isPaused = false
  /** Moves when the recording has to be followed anew, from what the view has. */
  turn = 0
  #version = 0
  #queue: Entries[] = []
  #offset = 0
  #isWorking = false
  #isPublishing = false
  #shown = { seq: 0, at: -Infinity }
  #pause: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()
  readonly #clock: RunClock

  constructor(clock: RunClock = browserClock, view: RunView = createRunView()) {
    this.#clock = clock
    this.view = view
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getVersion = (): number => this.#version

  readonly feed: RunFeed = {
    entries: (entries, { total, phase }) => {
      this.total = total
      this.phase = phase
      this.error = undefined
      if (this.isPaused) return this.#publish()
      if (entries.length > 0) this.#queue.push(entries)
      this.#work()
    },
    error: (error) => {
      this.error = error
      this.#publish()
    },
  }

  /** Stops the view, not the recording. Nothing is kept of what comes meanwhile, so that a pause may last. */
  pause(): void {
    this.isPaused = true
    this.discard()
    this.#publish()
  }

  resume(): void {
    this.isPaused = false
    this.turn++
    this.#publish()
  }

  /** Lets go of what has come and has not been applied. */
  discard(): void {
    this.#queue = []
    this.#offset = 0
  }

  #work(): void {
    if (this.#isWorking) return
    this.#isWorking = true
    this.#clock.later(() => {
      this.#isWorking = false
      this.#applySlice()
      if (this.#queue.length > 0) this.#work()
      this.#publish()
    })
  }

  #applySlice(): void {
    const until = this.#clock.now() + SLICE_MS
    const mayGoOn = () => this.#clock.now() <= until
    try {
      for (let block = this.#queue[0]; block; block = this.#queue[0]) {
        this.#offset = applyEntries(this.view, block, this.#offset, mayGoOn)
        if (this.#offset < block.length) return
        this.#queue.shift()
        this.#offset = 0
        if (!mayGoOn()) return
      }
    } catch (error) {
      if (!(error instanceof MissingEntryError)) throw error
      // Nothing that comes after it can be right, so following stops.
      this.discard()
      this.error = {
        code: 'internal',
        message: 'A part of the recording did not arrive. Reload the page to read it again.',
      }
    }
  }

  #publish(): void {
    clearTimeout(this.#pause)
    if (this.#isPublishing) return
    const { seq, at } = this.#shown
    const fresh = this.view.seq - seq
    const isFlood = fresh > FLOOD
    const rest = Math.min(FLOOD_MS + fresh * FLOOD_MS_PER_ENTRY, LONGEST_FLOOD_MS)
    if (isFlood && !this.view.final && this.#clock.now() - at < rest)
      this.#pause = setTimeout(() => this.#show(true), PAUSE_MS)
    else this.#show(isFlood && this.view.final !== undefined)
  }

  #show(isPause = false): void {
    this.#isPublishing = true
    this.#clock.nextFrame(() => {
      this.#isPublishing = false
      this.#shown = { seq: this.view.seq, at: this.#clock.now() }
      this.#version++
      for (const listener of this.#listeners) listener()
    }, isPause)
  }
}

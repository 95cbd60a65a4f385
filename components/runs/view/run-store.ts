import type { Entries } from '@/lib/stream/entry-text'
import type { RecordingSummary } from '@/lib/stream/log'
import { applyEntries, createRunView, endEarly, MissingEntryError, type RunView } from '@/lib/stream/run-view'
import { browserClock, type RunClock } from './browser-clock'

/** The callbacks through which a live connection delivers a recording. */
export type RunFeed = {
  entries: (entries: Entries, info: { total: number; phase: RecordingSummary['phase'] }) => void
  error: (error: RunError) => void
}
export type RunError = { code: string; message: string }

/** The longest time to apply entries at once, which leaves most of a 16 ms frame to the page. */
const SLICE_MS = 8

/**
 * More entries than this since the last repaint are a flood that nobody can read. It is rendered less often the larger it is,
 * when it pauses, and at the end of the run.
 */
const FLOOD = 500
const FLOOD_MS = 100
const FLOOD_MS_PER_ENTRY = 0.02
const LONGEST_FLOOD_MS = 300
const PAUSE_MS = 50

/**
 * A recording that a page follows. Entries are applied outside React in slices; listeners are called at most once per
 * animation frame, and `version` changes only then.
 */
export class RunStore {
  readonly view: RunView
  /** Entries on the server, for "replaying k of n". */
  total = 0
  /** The last known phase of the recorder. */
  phase: RecordingSummary['phase'] | undefined
  error: RunError | undefined
  /** While paused, new entries are only counted, and requested again afterwards. */
  isPaused = false
  /** Changes when the recording must be subscribed to again from the view's last entry. */
  turn = 0
  #version = 0
  #queue: Entries[] = []
  #offset = 0
  #isWhole = false
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

  /** All of a file was applied, and the end of the run is not part of it: it was cut off or exported early. */
  get endsEarly(): boolean {
    return this.view.phase === 'ended' && !this.view.final
  }

  /** Every entry that the server has told of was applied. */
  get isCaughtUp(): boolean {
    return this.total > 0 && this.view.seq >= this.total
  }

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

  /** All of a file was given: nothing follows. */
  finish(): void {
    this.#isWhole = true
    this.#work()
  }

  /** Pauses the view, not the recording. New entries are not stored, so a pause can last long. */
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

  /** Asks for the recording again after an error. */
  readonly retry = (): void => {
    this.error = undefined
    this.turn++
    this.#publish()
  }

  /** Drops entries that have not been applied. */
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
      else if (this.#isWhole) endEarly(this.view)
      this.#publish()
    })
  }

  #applySlice(): void {
    const until = this.#clock.now() + SLICE_MS
    const canContinue = () => this.#clock.now() <= until
    try {
      for (let block = this.#queue[0]; block; block = this.#queue[0]) {
        this.#offset = applyEntries(this.view, block, this.#offset, canContinue)
        if (this.#offset < block.length) return
        this.#queue.shift()
        this.#offset = 0
        if (!canContinue()) return
      }
    } catch (error) {
      if (!(error instanceof MissingEntryError)) throw error
      // Later entries cannot be applied correctly, so following stops.
      this.discard()
      this.error = {
        code: 'internal',
        message: 'Part of the recording is missing. Reload the page to read it again.',
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

import type { LogLine } from '@/lib/contracts/deployments/logs'
import { linesOf, momentOf, shownText } from './log-text'

/** One line on screen. A multi-line message is several rows; only the first has time and level. */
export type LogRow = {
  /** Counts up over the whole log and is never reused. */ n: number
  line: LogLine
  isFirst: boolean
  text: string
}
/** `from` and `to` are ISO 8601, both included. */
export type LogFilter = { level?: string; query?: string; from?: string; to?: string }
export type LogProblem = { code: string; message: string }
type Info = { total: number; phase: string; epoch: number }

/** Rows kept in the browser. The server holds about as many lines. */
const MAX_ROWS = 60_000
/** Rows are dropped in blocks, because shifting the others is expensive. */
const STRETCH = 5_000

const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']
const rankOf = (level: string | null | undefined) => LEVELS.indexOf((level ?? '').toUpperCase())

/**
 * Whether a line matches the filter. Needed although the server filters too, because a server that does not know the filter
 * sends everything.
 */
export function matches(
  { level, message, timestamp }: Pick<LogLine, 'level' | 'message' | 'timestamp'>,
  filter: LogFilter,
): boolean {
  if (filter.level && rankOf(level) < rankOf(filter.level)) return false
  const at = filter.from || filter.to ? momentOf(timestamp)?.getTime() : undefined
  if (at !== undefined && filter.from && at < Date.parse(filter.from)) return false
  if (at !== undefined && filter.to && at > Date.parse(filter.to)) return false
  return !filter.query || (message ?? '').toLowerCase().includes(filter.query.toLowerCase())
}

/** A live log outside React. Listeners are called at most once per frame. */
export class LogStore {
  rows: LogRow[] = []
  /** Whether lines older than the first row exist only on the server. */
  isCut = false
  phase: string | undefined
  problem: LogProblem | undefined
  #filter: LogFilter
  #epoch: number | undefined
  #lastSeq = 0
  #next = 1
  #version = 0
  #isPublishing = false
  readonly #listeners = new Set<() => void>()
  readonly #nextFrame: (task: () => void) => void

  constructor(filter: LogFilter = {}, nextFrame: (task: () => void) => void = afterPaint) {
    this.#filter = filter
    this.#nextFrame = nextFrame
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  readonly getVersion = (): number => this.#version

  /** The number of the first kept row; `next` is that of the next new one. */
  get first(): number {
    return this.rows[0]?.n ?? this.#next
  }
  get next(): number {
    return this.#next
  }
  at(n: number): LogRow | undefined {
    return this.rows[n - this.first]
  }

  readonly onLines = (lines: readonly LogLine[], { phase, epoch }: Info): void => {
    this.phase = phase
    this.problem = undefined
    const first = lines[0]
    if (first && (epoch !== this.#epoch || first.seq !== this.#lastSeq + 1)) {
      this.rows = []
      this.isCut = first.seq > 1
    }
    this.#epoch = epoch
    this.#lastSeq = lines.at(-1)?.seq ?? this.#lastSeq
    for (const line of lines) if (matches(line, this.#filter)) this.#add(line)
    if (this.rows.length > MAX_ROWS + STRETCH) {
      this.rows = this.rows.slice(-MAX_ROWS)
      this.isCut = true
    }
    this.#publish()
  }

  readonly onError = (problem: LogProblem): void => {
    this.problem = problem
    this.#publish()
  }

  #add(line: LogLine): void {
    let isFirst = true
    for (const text of linesOf(line.message ?? '')) {
      this.rows.push({ n: this.#next++, line, isFirst, text: shownText(text) })
      isFirst = false
    }
  }

  #publish(): void {
    if (this.#isPublishing) return
    this.#isPublishing = true
    this.#nextFrame(() => {
      this.#isPublishing = false
      this.#version++
      for (const listener of this.#listeners) listener()
    })
  }
}

/** In a hidden tab this waits until the tab is shown, so nothing is rendered that nobody sees. */
const afterPaint = (task: () => void) => void requestAnimationFrame(task)

import 'server-only'
import { randomInt } from 'node:crypto'
import type { LogEntry, LogsPage } from '@/lib/contracts/deployments/logs'
import type { ErrorCode } from '@/lib/errors'
import { errorView } from '../process/result'
import { LogTail } from '../resources/logs/log-tail'
import type { LiveTiming } from './timing'

/** How much of one log is kept; older lines are dropped. Counts characters, not bytes. */
export const LOG_WINDOW = { lines: 50_000, chars: 24_000_000 }

type ReadPage = (offset: string | undefined, signal: AbortSignal) => Promise<LogsPage>
export type LogPhase = 'starting' | 'live' | 'reconnecting'
export type LogProblem = { code: ErrorCode; message: string; at: number }

/** One log, read once for all subscribers: from its beginning, then by polling. Lines are numbered from 1. */
export class LogFeed {
  /** Another feed of the same log may number its lines differently, because servers drop old lines too. */
  readonly epoch = randomInt(1, 2 ** 31)
  phase: LogPhase = 'starting'
  problem: LogProblem | undefined
  /** Number of the first line held, and of the last one read. */
  first = 1
  last = 0
  #lines: string[] = []
  #chars = 0
  readonly #readPage: ReadPage
  readonly #onIdle: () => void
  readonly #timing: LiveTiming['logs']
  readonly #window: typeof LOG_WINDOW
  readonly #listeners = new Set<() => void>()
  readonly #stop = new AbortController()
  readonly #tail = new LogTail()
  #linger: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #isStarted = false
  #wasLive = false
  #failures = 0
  #movedAt = Date.now()

  constructor(readPage: ReadPage, onIdle: () => void, timing: LiveTiming['logs'], window = LOG_WINDOW) {
    this.#readPage = readPage
    this.#timing = timing
    this.#window = window
    this.#onIdle = onIdle
  }

  subscribe(listener: () => void): () => void {
    clearTimeout(this.#linger)
    this.#listeners.add(listener)
    if (!this.#isStarted) {
      this.#isStarted = true
      void this.#poll()
    }
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      this.#linger = setTimeout(() => this.#end(), this.#timing.lingerMs).unref()
    }
  }

  /** JSON of the lines after `cursor`, about `maxChars` of it, joined by commas; '' if there are none. */
  read(cursor: number, maxChars: number): { json: string; cursor: number } {
    const from = Math.max(0, cursor + 1 - this.first)
    let to = from
    for (let size = 0; to < this.#lines.length && size < maxChars; to++) size += this.#lines[to]?.length ?? 0
    return { json: this.#lines.slice(from, to).join(','), cursor: Math.max(cursor, this.first + to - 1) }
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stop
    let pause = 0
    try {
      const { lines, isAtEnd } = this.#tail.take(await this.#readPage(this.#tail.offset, signal))
      this.#failures = 0
      this.#append(lines)
      if (isAtEnd) pause = this.#pause()
      // Once live it stays live: a burst of several pages is news, not history.
      this.#wasLive ||= isAtEnd
      this.#tell(this.#wasLive ? 'live' : 'starting', undefined, lines.length > 0)
    } catch (error) {
      if (signal.aborted) return
      const { code, message, retryAfterMs = 0 } = errorView(error)
      pause = Math.max(retryAfterMs, Math.min(this.#timing.busyMs * 2 ** this.#failures++, this.#timing.errorMaxMs))
      this.#tell('reconnecting', { code, message, at: Date.now() }, false)
    }
    if (!signal.aborted) this.#timer = setTimeout(() => void this.#poll(), pause)
  }

  /** Longer waits the longer the log stays silent. */
  #pause(): number {
    return Math.min(Math.max(this.#timing.busyMs, (Date.now() - this.#movedAt) / 10), this.#timing.quietMs)
  }

  #append(lines: readonly LogEntry[]): void {
    if (lines.length > 0) this.#movedAt = Date.now()
    for (const line of lines) {
      const text = JSON.stringify({ ...line, seq: ++this.last })
      this.#lines.push(text)
      this.#chars += text.length
    }
    let extra = 0
    while (this.#lines.length - extra > this.#window.lines || this.#chars > this.#window.chars)
      this.#chars -= this.#lines[extra++]?.length ?? 0
    this.#lines.splice(0, extra)
    this.first += extra
  }

  #tell(phase: LogPhase, problem: LogProblem | undefined, hasNews: boolean): void {
    const isSame = phase === this.phase && problem?.message === this.problem?.message
    this.phase = phase
    if (!isSame || !problem) this.problem = problem
    if (isSame && !hasNews) return
    for (const listener of this.#listeners) listener()
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#stop.abort(new Error('This log has no subscribers left.'))
    this.#onIdle()
  }
}

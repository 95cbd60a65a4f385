import { and, asc, desc, eq, gt, gte, ilike, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import { LOG_LEVELS } from '@/lib/contracts/deployments/logs'
import type { Db } from './database'
import { escapeLike, isMissingReference, reasonOf } from './database'
import { revisionLogs } from './schema'
import type { LogLevel, LogType } from './wire'

/** Where a line belongs. */
export type LogTarget = { deploymentId: string; revisionId: string; type: LogType }
export type LogLine = { level: LogLevel; message: string; runId?: string }
export type LogFilter = {
  deploymentId: string
  revisionId?: string
  type?: LogType
  order: 'asc' | 'desc'
  limit: number
  /** The id of the previous page's last line. */
  after?: number
  query?: string
  level?: LogLevel
  runId?: string
  from?: Date
  to?: Date
}
export type LogRow = typeof revisionLogs.$inferSelect

type NewLine = typeof revisionLogs.$inferInsert

const FLUSH_MS = 40
const LINE_LIMIT = 16_000
/** Lines kept per revision and type; checked every `PRUNE_EVERY` lines. */
const KEPT_LINES = 20_000
const PRUNE_EVERY = 2_000

/** The logs of revisions. Lines are written in order, many per insert; `flush` waits until all are stored. */
export class RevisionLogs {
  #waiting: NewLine[] = []
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  readonly #written = new Map<string, number>()

  constructor(
    private readonly db: Db,
    private readonly logError: (line: string) => void,
  ) {}

  append(place: LogTarget, line: LogLine): void {
    // PostgreSQL's text cannot hold NUL.
    const whole = line.message.replaceAll('\u0000', '\uFFFD')
    const message = whole.length > LINE_LIMIT ? `${whole.slice(0, LINE_LIMIT)}… (line cut)` : whole
    this.#waiting.push({ ...place, level: line.level, message, runId: line.runId, time: new Date() })
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#waiting
    this.#waiting = []
    if (lines.length) this.#writing = this.#writing.then(() => this.#write(lines))
    return this.#writing
  }

  async #write(lines: NewLine[]): Promise<void> {
    for (let start = 0; start < lines.length; start += 1000) await this.#insert(lines.slice(start, start + 1000))
    await this.#prune(lines)
  }

  async #insert(lines: NewLine[]): Promise<void> {
    try {
      await this.db.insert(revisionLogs).values(lines)
    } catch (error) {
      const isGone = isMissingReference(error)
      const places = new Set(lines.map((line) => line.revisionId))
      // A deployment that was just deleted loses only its own lines.
      if (isGone && places.size > 1)
        for (const place of places) await this.#insert(lines.filter((line) => line.revisionId === place))
      // A failing log must not stop a roll-out.
      else if (!isGone) this.logError(`Log lines were not stored: ${reasonOf(error)}`)
    }
  }

  async #prune(lines: NewLine[]): Promise<void> {
    const full = new Map<string, NewLine>()
    for (const line of lines) {
      const key = `${line.revisionId} ${line.type}`
      const count = (this.#written.get(key) ?? 0) + 1
      this.#written.set(key, count % PRUNE_EVERY)
      if (count === PRUNE_EVERY) full.set(key, line)
    }
    for (const { revisionId, type } of full.values()) {
      const of = and(eq(revisionLogs.revisionId, revisionId), eq(revisionLogs.type, type))
      const oldest = sql`(select id from ${revisionLogs} where ${of} order by id desc offset ${KEPT_LINES} limit 1)`
      await this.db
        .delete(revisionLogs)
        .where(and(of, sql`${revisionLogs.id} <= ${oldest}`))
        .catch((error) => this.logError(`Old log lines were not removed: ${reasonOf(error)}`))
    }
  }

  /** One page of lines, of the given level and above. */
  async read(filter: LogFilter): Promise<LogRow[]> {
    await this.flush()
    const { id, deploymentId, revisionId, type, level, message, runId, time } = revisionLogs
    const isAscending = filter.order === 'asc'
    const conditions: (SQL | undefined)[] = [
      eq(deploymentId, filter.deploymentId),
      filter.revisionId === undefined ? undefined : eq(revisionId, filter.revisionId),
      filter.type && eq(type, filter.type),
      filter.level && inArray(level, LOG_LEVELS.slice(LOG_LEVELS.indexOf(filter.level))),
      filter.query ? ilike(message, `%${escapeLike(filter.query)}%`) : undefined,
      filter.runId === undefined ? undefined : eq(runId, filter.runId),
      filter.from && gte(time, filter.from),
      filter.to && lte(time, filter.to),
      filter.after === undefined ? undefined : isAscending ? gt(id, filter.after) : lt(id, filter.after),
    ]
    return this.db
      .select()
      .from(revisionLogs)
      .where(and(...conditions))
      .orderBy(isAscending ? asc(id) : desc(id))
      .limit(filter.limit)
  }
}

import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { CronCreate, CronPatch, CronsCount, CronsSearch } from '@/lib/contracts/agents/crons'
import type { RunCreate } from '@/lib/contracts/agents/runs'
import type { Assistants } from '../assistants/assistants'
import type { User } from '../auth/caller'
import { type Conditions, meets } from '../kernel/conditions'
import { invalid, notFound } from '../kernel/errors'
import { orderAndPage, Where } from '../kernel/listing'
import { type Db, iso, type Query } from '../persistence/db'
import { checkSchedule, DEFAULT_TIMEZONE, nextFiring, readTime, type Schedule } from './cron-schedule'

type Json = Record<string, unknown>
type Filters = z.output<typeof CronsCount> & { enabled?: boolean | null }

export type CronRow = Schedule & {
  cron_id: string
  assistant_id: string
  thread_id: string | null
  on_run_completed: 'delete' | 'keep' | null
  payload: Json
  metadata: Json
  /** Who created it; its runs are theirs. */
  user: User | null
  next_run_date: Date | null
  created_at: Date
  updated_at: Date
}

const COLUMNS =
  'cron_id, assistant_id, thread_id, on_run_completed, schedule, timezone, end_time, enabled, payload, metadata, "user", next_run_date, created_at, updated_at'

/** The run that each firing creates. Runs and their threads carry the `cron_id` in their metadata. */
export const runOfCron = ({ cron_id, assistant_id, thread_id, on_run_completed, payload, metadata }: CronRow) =>
  ({
    ...payload,
    assistant_id,
    metadata: { ...metadata, cron_id },
    ...(thread_id === null && { on_completion: on_run_completed ?? 'delete' }),
  }) as RunCreate // the payload was parsed as a run's fields when it was stored

export const cronOut = (row: CronRow) => ({
  cron_id: row.cron_id,
  assistant_id: row.assistant_id,
  thread_id: row.thread_id,
  on_run_completed: row.on_run_completed,
  schedule: row.schedule,
  timezone: row.timezone,
  end_time: row.end_time && iso(row.end_time),
  enabled: row.enabled,
  payload: runOfCron(row),
  metadata: row.metadata,
  next_run_date: row.next_run_date && iso(row.next_run_date),
  user_id: row.user?.identity ?? null,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
})

/** Another process has already claimed this firing. */
export class AlreadyFired extends Error {
  override name = 'FiredElsewhere'
}

/** Stores crons as rows; the clock fires them. */
export class Crons {
  constructor(
    private readonly db: Db,
    private readonly assistants: Assistants,
    /** Throws if the cron's run would be refused. */
    private readonly check: (threadId: string | undefined, body: RunCreate) => Promise<unknown>,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Throws a 404. */
  async get(cronId: string): Promise<CronRow> {
    const [row] = await this.db.query<CronRow>(`select ${COLUMNS} from crons where cron_id = $1`, [
      cronId.toLowerCase(),
    ])
    if (!row) throw notFound('Cron', cronId)
    return row
  }

  /** With a thread, every firing runs on it; otherwise each gets a new thread. */
  async create(threadId: string | undefined, body: CronCreate, user: User | null = null): Promise<CronRow> {
    const { schedule, timezone, end_time, enabled, on_run_completed, assistant_id, metadata, ...payload } = body
    const now = this.now()
    const row: CronRow = {
      cron_id: randomUUID(),
      assistant_id: (await this.assistants.get(assistant_id)).assistant_id,
      thread_id: threadId?.toLowerCase() ?? null,
      on_run_completed: threadId === undefined ? (on_run_completed ?? 'delete') : null,
      schedule,
      timezone: timezone ?? DEFAULT_TIMEZONE,
      end_time: readTime('end_time', end_time),
      enabled: enabled ?? true,
      payload: withoutEmpty(payload),
      metadata: metadata ?? {},
      user,
      next_run_date: null,
      created_at: now,
      updated_at: now,
    }
    checkSchedule(row)
    if (row.end_time && row.end_time <= now) throw invalid(['body', 'end_time'], 'The end has already passed')
    await this.check(row.thread_id ?? undefined, runOfCron(row))
    row.next_run_date = nextFiring(row, now)
    const [stored] = await this.db.query<CronRow>(
      `insert into crons (${COLUMNS}) values (${COLUMNS.split(', ').map((_, index) => `$${index + 1}`)}) returning ${COLUMNS}`,
      valuesOf(row),
    )
    return stored as CronRow
  }

  /** Given fields replace old ones; metadata is merged. Recomputes the next firing if its time may have changed. */
  async update(cronId: string, patch: CronPatch): Promise<CronRow> {
    return this.db.transaction(async (query) => {
      const [row] = await query<CronRow>(`select ${COLUMNS} from crons where cron_id = $1 for update`, [
        cronId.toLowerCase(),
      ])
      if (!row) throw notFound('Cron', cronId)
      const { schedule, timezone, end_time, enabled, on_run_completed, metadata, ...payload } = patch
      const now = this.now()
      const next: CronRow = {
        ...row,
        schedule: schedule ?? row.schedule,
        timezone: timezone === undefined ? row.timezone : (timezone ?? DEFAULT_TIMEZONE),
        end_time: end_time === undefined ? row.end_time : readTime('end_time', end_time),
        enabled: enabled ?? row.enabled,
        on_run_completed: row.thread_id === null ? (on_run_completed ?? row.on_run_completed) : null,
        payload: withoutEmpty({ ...row.payload, ...payload }),
        metadata: { ...row.metadata, ...metadata },
        updated_at: now,
      }
      checkSchedule(next)
      await this.check(next.thread_id ?? undefined, runOfCron(next))
      if ([schedule, timezone, end_time, enabled].some((value) => value !== undefined))
        next.next_run_date = nextFiring(next, now)
      const [stored] = await query<CronRow>(
        `update crons set (${COLUMNS}) = (${COLUMNS.split(', ').map((_, index) => `$${index + 1}`)}) where cron_id = $1 returning ${COLUMNS}`,
        valuesOf(next),
      )
      return stored as CronRow
    })
  }

  /** Throws a 404. Runs that it created are kept. */
  async remove(cronId: string): Promise<void> {
    const [row] = await this.db.query('delete from crons where cron_id = $1 returning cron_id', [cronId.toLowerCase()])
    if (!row) throw notFound('Cron', cronId)
  }

  async search(body: z.output<typeof CronsSearch>, only?: Conditions): Promise<{ rows: CronRow[]; total: number }> {
    const where = this.#where(body, only)
    const [rows, total] = await Promise.all([
      this.db.query<CronRow>(
        `select ${COLUMNS} from crons ${where.text} ${orderAndPage(body, 'created_at', 'cron_id')}`,
        where.values,
      ),
      this.count(body, only),
    ])
    return { rows, total }
  }

  async count(filters: Filters, only?: Conditions): Promise<number> {
    const where = this.#where(filters, only)
    const [row] = await this.db.query<{ count: number }>(
      `select count(*)::int as count from crons ${where.text}`,
      where.values,
    )
    return row?.count ?? 0
  }

  /** Due crons, the longest overdue first. */
  due(now: Date, limit: number): Promise<CronRow[]> {
    return this.db.query<CronRow>(
      `select ${COLUMNS} from crons where next_run_date <= $1 order by next_run_date, cron_id limit ${limit}`,
      [now],
    )
  }

  /** When the next one is due. */
  async nextDue(): Promise<Date | null> {
    const [row] = await this.db.query<{ next: Date | null }>('select min(next_run_date) as next from crons')
    return row?.next ?? null
  }

  /** Claims a due firing by moving the cron to its next one. Throws if another process did so or changed the cron. */
  async claim(query: Query, row: CronRow, now: Date): Promise<void> {
    const [claimed] = await query(
      'update crons set next_run_date = $3 where cron_id = $1 and next_run_date = $2 returning cron_id',
      [row.cron_id, row.next_run_date, nextFiring(row, now)],
    )
    if (!claimed) throw new AlreadyFired()
  }

  #where({ assistant_id, thread_id, metadata, enabled }: Filters, only: Conditions): Where {
    return new Where()
      .addIf(assistant_id, 'assistant_id = $?', assistant_id && this.assistants.idOf(assistant_id))
      .addIf(thread_id, 'thread_id = $?', thread_id?.toLowerCase())
      .addIf(metadata, 'metadata @> $?')
      .addIf(enabled, 'enabled = $?')
      .addIf(only, meets('metadata'))
  }
}

const valuesOf = (row: CronRow): unknown[] =>
  COLUMNS.split(', ').map((name) => row[name.replaceAll('"', '') as keyof CronRow])

/** Drops null fields, which count as absent; only the input may be null on purpose. */
const withoutEmpty = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

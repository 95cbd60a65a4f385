import 'server-only'
import { sql } from 'drizzle-orm'
import { db, LOCKS, storeOutage } from '../../process/db'
import { log } from '../../process/log'

// Packed segments are in one partition per week (docs/decisions/0074-packed-weeks.md).

const DAY_MS = 86_400_000
/** A lock that waits makes every reader wait behind it. */
const LOCK_WAIT = '500ms'

/** The Monday of a moment, in UTC. */
export function weekOf(at: Date): string {
  const daysSinceMonday = (at.getUTCDay() + 6) % 7
  return new Date(at.getTime() - daysSinceMonday * DAY_MS).toISOString().slice(0, 10)
}

const tableOf = (week: string) => sql.raw(`console.segments_${week.replaceAll('-', '')}`)

/** PostgreSQL found no partition for a row. */
export function isWeekMissing(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if ('code' in one && one.code === '23514') return true
  return false
}

/** Creates the partition of a week, unless it exists. */
export async function createWeek(week: string): Promise<void> {
  await (await db()).transaction(async (store) => {
    await store.execute(sql`select pg_advisory_xact_lock(${LOCKS.weeks})`)
    const { rows } = await store.execute<{ week: string }>(WEEKS)
    if (rows.some((one) => one.week === week)) return
    const table = tableOf(week)
    // Attached after it is made, because that does not keep readers and writers out.
    await store.execute(sql`create table ${table} (like console.segments, primary key (recording, first_seq))`)
    const { rows: methods } = await store.execute(
      sql`select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`,
    )
    if (methods.length > 0) await store.execute(sql`alter table ${table} alter column body set compression lz4`)
    await store.execute(
      sql`alter table console.segments attach partition ${table} for values in (${sql.raw(`'${week}'`)})`,
    )
  })
}

const WEEKS = sql`
  select to_char(to_date(right(relid::text, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as week
  from pg_partition_tree('console.segments') where relid::text ~ 'segments_[0-9]{8}$' order by 1`

/**
 * Drops each past week whose recordings are all `expired`, together with them. Blocks of deleted recordings are removed
 * first: versions before the weeks leave them behind. Returns how many recordings.
 */
export async function dropExpiredWeeks(expired: ReturnType<typeof sql>): Promise<number> {
  const store = await db()
  const { rows: weeks } = await store.execute<{ week: string }>(WEEKS)
  let deleted = 0
  await store.execute(sql`
    delete from console.segments_moved as block
    where not exists (select from console.recordings where id = block.recording)`)
  for (const { week } of weeks) {
    await store.execute(sql`
      delete from ${tableOf(week)} as block where not exists (select from console.recordings where id = block.recording)`)
    if (week >= weekOf(new Date())) continue
    try {
      deleted += await dropExpiredWeek(tableOf(week), expired)
    } catch (error) {
      if (!storeOutage(error)) throw error
      log.info('recorder.week_kept', { week, error }) // somebody reads it; the next look tries again
    }
  }
  return deleted
}

async function dropExpiredWeek(table: ReturnType<typeof sql>, expired: ReturnType<typeof sql>): Promise<number> {
  const store = await db()
  const { rows: kept } = await store.execute(sql`
    select from ${table} as block join console.recordings on id = block.recording where (${expired}) is not true limit 1`)
  if (kept.length > 0) return 0
  return await store.transaction(async (one) => {
    await one.execute(sql`select set_config('lock_timeout', ${LOCK_WAIT}, true)`)
    const { rowCount } = await one.execute(sql`
      delete from console.recordings where id in (select recording from ${table}) and (${expired})`)
    const { rows: left } = await one.execute(
      sql`select from ${table} as block join console.recordings on id = block.recording limit 1`,
    )
    if (left.length === 0) await one.execute(sql`drop table ${table}`)
    return rowCount ?? 0
  })
}

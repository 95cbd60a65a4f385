import { sql } from 'drizzle-orm'
import { agentSchemaName } from './agent-database'
import type { Db } from './database'

export type RunRetention = { maxAgeDays: number | null; maxBytes: number | null }
export type Largest = { name: string; bytes: number; recentBytes: number; recentDays: number }
export type RunUsage = { count: number; bytes: number; diskBytes: number; largest: Largest | null }

type Deployment = { id: string; name: string }

/** Deleted at once, so that no statement holds locks for long. */
const PORTION = 500
/** What a row takes, without reading values that are stored apart. */
const BYTES = sql.raw(
  'pg_column_size(kwargs) + pg_column_size(plan) + pg_column_size(metadata) + coalesce(pg_column_size(error), 0) + 150',
)
/** Ended runs. The newest one of a thread that waits or failed says what to answer or repeat, so it stays. */
const REMOVABLE = sql.raw(`status not in ('pending', 'running') and not exists (
  select from threads where threads.thread_id = runs.thread_id and threads.status <> 'idle'
    and runs.seq = (select max(seq) from runs newest where newest.thread_id = runs.thread_id))`)

/** Removes rows of ended runs of these deployments; state and history of their threads stay. Returns how many. */
export async function sweepRuns(db: Db, deployments: readonly Deployment[], retention: RunRetention): Promise<number> {
  const { maxAgeDays, maxBytes } = retention
  let removed = 0
  for (const { id } of deployments) {
    if (maxAgeDays !== null)
      removed += await removeAll(
        db,
        id,
        sql`select run_id from runs where ${REMOVABLE} and updated_at < now() - make_interval(days => ${maxAgeDays}::int) limit ${PORTION}`,
      )
    if (maxBytes !== null)
      removed += await removeAll(
        db,
        id,
        sql`select run_id from (
          select run_id, seq, thread_id, status, sum(${BYTES}) over (order by seq desc) as held from runs
        ) as runs where held > ${maxBytes} and ${REMOVABLE} order by seq limit ${PORTION}`,
      )
  }
  return removed
}

async function removeAll(db: Db, deployment: string, portion: ReturnType<typeof sql>): Promise<number> {
  for (let removed = 0; ; ) {
    const count = await inSchema(db, deployment, async (tx) => {
      const { rowCount } = await tx.execute(sql`delete from runs where run_id in (${portion})`)
      return rowCount ?? 0
    })
    if (!count) return removed
    removed += count
  }
}

/** What the run rows of these deployments take. */
export async function readRunUsage(db: Db, deployments: readonly Deployment[]): Promise<RunUsage> {
  const usage: RunUsage = { count: 0, bytes: 0, diskBytes: 0, largest: null }
  for (const { id, name } of deployments) {
    const row = await inSchema(db, id, async (tx) => {
      const { rows } = await tx.execute<{ count: number; diskBytes: number } & Omit<Largest, 'name'>>(sql`
        select count(*)::float8 as count, coalesce(sum(${BYTES}), 0)::float8 as bytes,
          pg_total_relation_size('runs')::float8 as "diskBytes",
          coalesce(sum(${BYTES}) filter (where created_at > now() - interval '7 days'), 0)::float8 as "recentBytes",
          least(7, extract(epoch from now() - coalesce(min(created_at), now())) / 86400)::float8 as "recentDays"
        from runs`)
      return rows[0]
    })
    if (!row) continue
    const { count, diskBytes, ...rest } = row
    usage.count += count
    usage.diskBytes += diskBytes
    usage.bytes += row.bytes
    if (row.bytes > (usage.largest?.bytes ?? 0)) usage.largest = { name, ...rest }
  }
  return usage
}

/** Runs statements in a deployment's schema; undefined if it has no runs yet, because it never started. */
async function inSchema<T>(
  db: Db,
  deployment: string,
  work: (tx: Pick<Db, 'execute'>) => Promise<T>,
): Promise<T | undefined> {
  const schema = agentSchemaName(deployment)
  return await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ found: boolean }>(
      sql`select to_regclass(${`${schema}.runs`}) is not null as found`,
    )
    if (!rows[0]?.found) return undefined
    await tx.execute(sql`set local search_path to ${sql.identifier(schema)}`)
    return await work(tx)
  })
}

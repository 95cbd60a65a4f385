import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { db } from '../process/db'
import { env } from '../process/env'
import { moveOld, removeUnused } from './packed/move'
import { packForgotten } from './packed/pack'
import { dropExpiredWeeks } from './packed/weeks'
import { recordings, retention, segments } from './schema'

export const DEFAULT_DAYS = 30
/** Deleted at once, so that no statement holds locks for long. */
const PORTION = 100

/** Packs, deletes and moves what is due. */
export async function keepUp(): Promise<void> {
  await packForgotten()
  await deleteExpired()
  await moveOld()
  await removeUnused()
}

/**
 * Deletes recordings that are older than their workspace keeps them, then the oldest of each workspace beyond its size.
 * Only those of ended runs. Returns how many.
 */
export async function deleteExpired(): Promise<number> {
  const store = await db()
  const own = await store.select().from(retention)
  const named = sql`(select workspace from ${retention})`
  let deleted = await dropExpiredWeeks(IS_EXPIRED)
  deleted += await deleteOlder(sql`workspace not in ${named}`, DEFAULT_DAYS)
  for (const { workspace, days, maxBytes } of own) {
    deleted += await deleteOlder(sql`workspace = ${workspace}`, days)
    if (maxBytes !== null) deleted += await deleteBeyond(workspace, maxBytes)
  }
  return deleted
}

/** A run may have been recorded after its end: then its lease tells when. */
const IS_EXPIRED = sql`phase = 'ended' and ended_at is not null and greatest(ended_at, lease_until) < now() - make_interval(
  days => coalesce((select days from ${retention} as own where own.workspace = recordings.workspace), ${DEFAULT_DAYS}::int))`

const deleteOlder = (where: ReturnType<typeof sql>, days: number) =>
  deleteAll(sql`
    select id from ${recordings} where ${where} and phase = 'ended' and ended_at < now() - make_interval(days => ${days}::int)
      and (lease_until is null or lease_until < now() - make_interval(days => ${days}::int)) limit ${PORTION}`)

/** Live recordings count, but are never deleted. */
const deleteBeyond = (workspace: string, maxBytes: number) =>
  deleteAll(sql`
    select id from (
      select id, phase, ended_at,
        sum(bytes) over (order by (phase <> 'ended') desc, ended_at desc, id rows unbounded preceding) as held
      from ${recordings} where workspace = ${workspace}
    ) as newest where held > ${maxBytes} and phase = 'ended' order by ended_at limit ${PORTION}`)

async function deleteAll(portion: ReturnType<typeof sql>): Promise<number> {
  const store = await db()
  for (let deleted = 0; ; ) {
    // Nothing refers to a packed segment, so that a week can be dropped without a lock on the recordings.
    const { rows } = await store.execute<{ count: number }>(sql`
      with gone as (delete from ${recordings} where phase = 'ended' and id in (${portion}) returning id),
      blocks as (delete from ${segments} where packed_on is not null and recording in (select id from gone))
      select count(*)::int as count from gone`)
    const count = rows[0]?.count ?? 0
    if (count === 0) return deleted
    deleted += count
  }
}

export type Usage = {
  days: number
  maxBytes: number | null
  recordings: number
  bytes: number
  /** Recorded in the last seven days, or since the first recording if that is less. */
  recentBytes: number
  recentDays: number
  /** What the tables and their indexes take on disk, for all workspaces. */
  tableBytes: number
  /** Those in object storage, which count above too. */
  moved: number
  movedBytes: number
  /** How long after their end recordings move there; null if it is not set up. */
  movesAfterDays: number | null
}

export async function readUsage(workspace: string): Promise<Usage> {
  const store = await db()
  const [own] = await store.select().from(retention).where(eq(retention.workspace, workspace))
  const isRecent = sql`${recordings.startedAt} > now() - interval '7 days'`
  const [used] = await store
    .select({
      recordings: sql<number>`count(*)::int`,
      bytes: sql<number>`coalesce(sum(${recordings.bytes}), 0)::float8`,
      recentBytes: sql<number>`coalesce(sum(${recordings.bytes}) filter (where ${isRecent}), 0)::float8`,
      recentDays: sql<number>`least(7, extract(epoch from now() - coalesce(min(${recordings.startedAt}), now())) / 86400)::float8`,
      tableBytes: sql<number>`(pg_total_relation_size('console.recordings') + (
        select sum(pg_total_relation_size(relid)) from pg_partition_tree('console.segments')))::float8`,
      moved: sql<number>`count(${recordings.object})::int`,
      movedBytes: sql<number>`coalesce(sum(${recordings.bytes}) filter (where ${recordings.object} is not null), 0)::float8`,
    })
    .from(recordings)
    .where(eq(recordings.workspace, workspace))
  if (!used) throw new Error('An aggregate returned no row.')
  const { S3_BUCKET, S3_AFTER_DAYS } = env()
  const movesAfterDays = S3_BUCKET === undefined ? null : S3_AFTER_DAYS
  return { days: own?.days ?? DEFAULT_DAYS, maxBytes: own?.maxBytes ?? null, movesAfterDays, ...used }
}

export async function writeRetention(row: typeof retention.$inferInsert): Promise<void> {
  const store = await db()
  const { days, maxBytes = null } = row
  await store.insert(retention).values(row).onConflictDoUpdate({ target: retention.workspace, set: { days, maxBytes } })
}

import 'server-only'
import { and, desc, eq, getTableColumns, inArray, ne, sql } from 'drizzle-orm'
import { isUuid } from '@/lib/json/guards'
import type { RecordingOutcome, RecordingSummary } from '@/lib/stream/log'
import { db, LOCKS, type Store } from '../process/db'
import { CHANNEL } from './instances/wake'
import { recordings } from './schema'

export type RecordingRow = typeof recordings.$inferSelect

const NEW_LEASE = "now() + interval '20 seconds'"
const LEASE = sql.raw(NEW_LEASE)

/**
 * A recording's outcome as of now: a run that asked a question is `continued` by a later run of its thread, unless that one
 * was rolled back.
 */
export const outcomeNow = sql<RecordingOutcome | null>`case when recordings.outcome = 'waiting' and exists (
    select 1 from ${recordings} as later where later.thread = recordings.thread and later.workspace = recordings.workspace
      and later.deployment = recordings.deployment and later.started_at > recordings.started_at
      and later.outcome is distinct from 'deleted'
  ) then 'continued' else recordings.outcome end`

/** A row with its outcome as of now. */
export const COLUMNS = { ...getTableColumns(recordings), outcome: outcomeNow }

export const summaryOf = (row: RecordingRow): RecordingSummary => ({
  id: row.id,
  workspace: row.workspace,
  deployment: row.deployment,
  thread: row.thread,
  run: row.run,
  assistant: row.assistant,
  assistantVersion: row.assistantVersion,
  phase: row.phase,
  outcome: row.outcome,
  startedBy: row.startedBy,
  startedAt: row.startedAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
  entries: row.entries,
  bytes: row.bytes,
  request: row.request,
  isStateless: row.isStateless,
})

export type NewRecording = Omit<typeof recordings.$inferInsert, 'phase' | 'owner' | 'leaseUntil'> & { owner: number }

/** Inserts a row owned by this instance. Undefined if the person used the idempotency key before. */
export async function insertRecording(row: NewRecording): Promise<RecordingRow | undefined> {
  const [made] = await (await db())
    .insert(recordings)
    .values({ ...row, phase: 'starting', leaseUntil: LEASE })
    .onConflictDoNothing()
    .returning()
  return made
}

/**
 * Like `insertRecording`, for a run that was started elsewhere. There is one recording per run; returns the existing
 * one unless it stopped before its run.
 */
export async function insertJoined(
  row: NewRecording & { run: string },
): Promise<{ row: RecordingRow; isNew: boolean }> {
  return (await db()).transaction(async (store) => {
    await store.execute(
      sql`select pg_advisory_xact_lock(${LOCKS.joinedRun}::int, hashtext(${`${row.workspace} ${row.deployment} ${row.run}`}))`,
    )
    const here = and(
      eq(recordings.workspace, row.workspace),
      eq(recordings.deployment, row.deployment),
      eq(recordings.run, row.run),
    )
    const [known] = await store.select().from(recordings).where(here).orderBy(desc(recordings.startedAt)).limit(1)
    if (known && known.outcome !== 'unknown') return { row: known, isNew: false }
    const [made] = await store
      .insert(recordings)
      .values({ ...row, phase: 'starting', leaseUntil: LEASE })
      .returning()
    return { row: made as RecordingRow, isNew: true } // an insert without a conflict clause returns its row
  })
}

export async function findRecording(id: string): Promise<RecordingRow | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await (await db()).select(COLUMNS).from(recordings).where(eq(recordings.id, id))
  return row
}

export async function findByKey(workspace: string, startedBy: string, key: string): Promise<RecordingRow | undefined> {
  const isIt = and(
    eq(recordings.workspace, workspace),
    eq(recordings.startedBy, startedBy),
    eq(recordings.idempotencyKey, key),
  )
  const [row] = await (await db()).select().from(recordings).where(isIt)
  return row
}

export async function deleteRecording(id: string): Promise<void> {
  await (await db()).delete(recordings).where(eq(recordings.id, id))
}

type Patch = Partial<
  Pick<
    RecordingRow,
    | 'thread'
    | 'run'
    | 'assistantVersion'
    | 'phase'
    | 'outcome'
    | 'error'
    | 'output'
    | 'questions'
    | 'figures'
    | 'startedAt'
    | 'endedAt'
    | 'entries'
    | 'bytes'
    | 'cancelledAt'
    | 'isResumable'
  >
>
/**
 * Updates the row and notifies the other instances. `owner`: only while that instance records. False if there is no such row.
 */
export async function updateRecording(
  id: string,
  patch: Patch & { owner?: null },
  from: { instance: number; isOwner: boolean },
): Promise<boolean> {
  const store = await db()
  const isIt = and(eq(recordings.id, id), from.isOwner ? eq(recordings.owner, from.instance) : undefined)
  return await store.transaction(async (one) => {
    const { rowCount } = await one.update(recordings).set(patch).where(isIt)
    await one.execute(sql`select pg_notify(${CHANNEL}, ${`${from.instance}:${id}`})`)
    return rowCount === 1
  })
}

const RENEW = `
  with v (id, entries, bytes, phase) as (select * from unnest($2::uuid[], $3::int[], $4::bigint[], $5::text[])),
  locked as (
    select id from console.recordings where id in (select id from v) and owner = $1::int and phase <> 'ended'
    order by id for no key update
  )
  update console.recordings as r set lease_until = ${NEW_LEASE}, entries = v.entries, bytes = v.bytes,
    phase = case v.phase when 'ended' then r.phase else v.phase end
  from v join locked on locked.id = v.id where r.id = v.id`

/**
 * Renews the leases of this instance and notes how far its logs are. A log that has ended in memory stays open here
 * until its last entry is stored: otherwise nobody would take the recording over after a crash.
 */
export async function renewLeases(
  instance: number,
  live: { id: string; entries: number; bytes: number; phase: RecordingSummary['phase'] }[],
): Promise<void> {
  if (live.length === 0) return
  const columns = [
    live.map((one) => one.id),
    live.map((one) => one.entries),
    live.map((one) => one.bytes),
    live.map((one) => one.phase),
  ]
  await (await db()).$client.query(RENEW, [instance, ...columns])
}

/** Recordings that one claim takes over. */
export const CLAIMED_AT_ONCE = 50

/**
 * Takes over recordings that nobody records: handed over at a shutdown, or their instance lost its lock or did not
 * renew its lease. The oldest first, `CLAIMED_AT_ONCE` at most.
 */
export async function claimRecordings(instance: number): Promise<{ row: RecordingRow; wasCrash: boolean }[]> {
  return (await db()).transaction(async (store: Pick<Store, 'execute' | 'update'>) => {
    const { rows: free } = await store.execute<{ id: string; owner: number | null }>(sql`
      select id, owner from ${recordings}
      where phase <> 'ended' and (
        owner is null or lease_until < now() or (owner <> ${instance} and owner <> all (array(
          select objid::bigint from pg_locks where locktype = 'advisory' and classid = ${LOCKS.instance}
            and objsubid = 2 and granted and database = (select oid from pg_database where datname = current_database())
        )))
      ) order by started_at limit ${CLAIMED_AT_ONCE} for update skip locked`)
    if (free.length === 0) return []
    const owners = new Map(free.map(({ id, owner }) => [id, owner]))
    const claimed = await store
      .update(recordings)
      .set({ owner: instance, leaseUntil: LEASE })
      .where(inArray(recordings.id, [...owners.keys()]))
      .returning()
    return claimed.map((row) => ({ row, wasCrash: owners.get(row.id) !== null }))
  })
}

/** The recording with another lease, if this instance still owns it and it has not ended. */
export async function claimAgain(id: string, instance: number): Promise<RecordingRow | undefined> {
  const [row] = await (await db())
    .update(recordings)
    .set({ leaseUntil: LEASE })
    .where(and(eq(recordings.id, id), eq(recordings.owner, instance), ne(recordings.phase, 'ended')))
    .returning()
  return row
}

export async function setCuts(id: string, cuts: number[]): Promise<void> {
  await (await db()).update(recordings).set({ cuts }).where(eq(recordings.id, id))
}

import 'server-only'
import { and, desc, eq, getTableColumns, gt, lt, or, type SQL, sql } from 'drizzle-orm'
import { isUuid } from '@/lib/json/guards'
import type { RecordingOutcome, RecordingSummary } from '@/lib/stream/log'
import { db, LOCKS, type Store } from '../process/db'
import type { Chunk } from './chunk'
import { markGaps } from './gaps'
import { recordings, segments } from './schema'

export type RecordingRow = typeof recordings.$inferSelect
export type SegmentRow = { recording: string; chunk: Chunk; lastEventId: string | null }

/** Messages on it: `<instance>:<recording id>,<recording id>,…` or `<instance>:*`. */
export const CHANNEL = 'pilothouse_recordings'
const LEASE = sql`now() + interval '20 seconds'`
const MAX_NOTIFIED = 150
const COMPACT_BYTES = 256 * 1024

/**
 * A recording's outcome as of now: a run that asked a question is `continued` by a later run of its thread, unless that one
 * was rolled back.
 */
export const outcomeNow = sql<RecordingOutcome | null>`case when recordings.outcome = 'waiting' and exists (
    select 1 from ${recordings} as later where later.thread = recordings.thread and later.workspace = recordings.workspace
      and later.deployment = recordings.deployment and later.started_at > recordings.started_at
      and later.outcome is distinct from 'deleted'
  ) then 'continued' else recordings.outcome end`

const COLUMNS = { ...getTableColumns(recordings), outcome: outcomeNow }

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
    | 'startedAt'
    | 'endedAt'
    | 'entries'
    | 'bytes'
    | 'cancelledAt'
    | 'isResumable'
  >
>
/** Updates the row and notifies the other instances. `owner`: only while that instance records. */
export async function updateRecording(
  id: string,
  patch: Patch & { owner?: null },
  from: { instance: number; isOwner: boolean },
): Promise<void> {
  const store = await db()
  const isIt = and(eq(recordings.id, id), from.isOwner ? eq(recordings.owner, from.instance) : undefined)
  await store.transaction(async (one) => {
    await one.update(recordings).set(patch).where(isIt)
    await one.execute(sql`select pg_notify(${CHANNEL}, ${`${from.instance}:${id}`})`)
  })
}

/**
 * Statements for these row counts are prepared once per connection, because planning costs more than running them.
 * Smaller batches are padded with rows of no recording.
 */
const PREPARED_ROWS = [1, 2, 4, 8, 16, 32, 64, 128]
const NO_ROW = [null, null, null, null, null]

const insertOf = (rows: number, isTold: boolean) => {
  const columns = 'recording, first_seq, last_seq, body, last_event_id'
  const places = Array.from({ length: rows }, (_, row) => [3, 4, 5, 6, 7].map((at) => `$${row * 5 + at}`))
  const values = places.map(
    ([id, first, last, body, event]) => `(${id}::uuid, ${first}::int, ${last}::int, ${body}::text, ${event}::text)`,
  )
  return `
    with owned as (
      select id from console.recordings where id = any(array[${places.map(([id]) => `${id}::uuid`)}]) and owner = $1::int
      order by id for share -- in one order everywhere, or two of these wait for each other
    ),
    told as (select ${isTold ? `pg_notify('${CHANNEL}', $2::text)` : '$2::text'})
    insert into console.segments (${columns})
    select batch.* from (values ${values}) as batch (${columns}) join owned on owned.id = batch.recording, told
    returning recording`
}

/**
 * Stores segments of several recordings and, if `isTold`, notifies the other instances. Returns the recordings it still
 * owns: the row lock orders the insert and a take-over.
 */
export async function writeSegments(
  rows: readonly SegmentRow[],
  instance: number,
  isTold: boolean,
): Promise<Set<string>> {
  const ids = [...new Set(rows.map(({ recording }) => recording))]
  const note = `${instance}:${ids.length > MAX_NOTIFIED ? '*' : ids.join(',')}`
  const prepared = PREPARED_ROWS.find((count) => count >= rows.length)
  const count = prepared ?? rows.length
  const { rows: written } = await (await db()).$client.query<{ recording: string }>({
    ...(prepared && { name: `segments-${count}-${isTold}` }),
    text: insertOf(count, isTold),
    values: [
      instance,
      note,
      // The driver sends the text's bytes unchanged.
      ...rows.flatMap((one) => [one.recording, one.chunk.first, one.chunk.last, one.chunk.bytes, one.lastEventId]),
      ...Array.from({ length: count - rows.length }, () => NO_ROW).flat(),
    ],
  })
  return new Set(written.map(({ recording }) => recording))
}

/** Last stored entry of each recording that the instance still owns; 0 if there is none. */
export async function storedLast(ids: readonly string[], instance: number): Promise<Map<string, number>> {
  const { rows } = await (await db()).execute<{ id: string; last: number }>(sql`
    select id, coalesce((select max(last_seq) from ${segments} where recording = id), 0) as last
    from ${recordings} where id = any(${sql.param([...ids])}::uuid[]) and owner = ${instance}`)
  return new Map(rows.map(({ id, last }) => [id, last]))
}

/**
 * Segments with entries after `cursor`, in order, about `maxBytes` of them but at least one. Missing entries become
 * gaps.
 */
export async function readSegments(id: string, cursor: number, maxBytes: number): Promise<Chunk[]> {
  const { rows } = await (await db()).execute<{
    first: number | null
    last: number
    body: string
    entries: number | null
    outcome: RecordingOutcome
    ended: number
  }>(sql`
    select found.first_seq as first, found.last_seq as last, found.body, one.outcome,
      case when one.phase = 'ended' then one.entries end as entries, extract(epoch from one.ended_at) * 1000 as ended
    from ${recordings} as one left join (
      select *, sum(octet_length(body)) over (order by first_seq) - octet_length(body) as before
      from ${segments} where recording = ${id} and last_seq > ${cursor}
    ) as found on found.before < ${maxBytes} where one.id = ${id} order by found.first_seq`)
  const chunks = rows.flatMap(({ first, last, body }) =>
    first === null ? [] : [{ first, last, bytes: Buffer.from(body) }],
  )
  const size = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const [row] = rows
  const isAtEnd = size < maxBytes && row && row.entries !== null
  const end = isAtEnd ? { last: row.entries ?? 0, outcome: row.outcome, at: Math.round(row.ended) } : undefined
  return markGaps(chunks, cursor, end)
}

/** Where the stored log ends; for an ended recording, where it is known to have ended. */
export async function storedEnd(id: string): Promise<{ last: number; bytes: number; lastEventId: string }> {
  const { rows } = await (await db()).execute<{ last: number | null; bytes: string | null; event: string | null }>(sql`
    select sum(octet_length(body)) as bytes,
      greatest(max(last_seq), (select entries from ${recordings} where id = ${id} and phase = 'ended')) as last,
      (select last_event_id from ${segments} where recording = ${id} order by first_seq desc limit 1) as event
    from ${segments} where recording = ${id}`)
  const [end] = rows
  return { last: end?.last ?? 0, bytes: Number(end?.bytes ?? 0), lastEventId: end?.event ?? '' }
}

/** Last entry before the first gap in the store; undefined if there is no gap. */
export async function endBeforeGap(id: string): Promise<number | undefined> {
  const { rows } = await (await db()).execute<{ end: number | null }>(sql`
    select min(before) as end from (
      select lag(last_seq, 1, 0) over (order by first_seq) as before, first_seq from ${segments} where recording = ${id}
    ) as one where first_seq > before + 1`)
  return rows[0]?.end ?? undefined
}

/** Deletes what is stored after entry `last`. */
export async function truncateSegments(id: string, last: number): Promise<void> {
  await (await db()).delete(segments).where(and(eq(segments.recording, id), gt(segments.firstSeq, last)))
}

/** Joins the small segments of a finished recording, so that a replay reads few rows. Never joins across a gap. */
export async function compactSegments(id: string): Promise<void> {
  await (await db()).transaction(async (store) => {
    // First under negative numbers: one statement cannot insert and delete the same key.
    await store.execute(sql`
      insert into ${segments} (recording, first_seq, last_seq, body, last_event_id)
      select recording, -min(first_seq), max(last_seq), string_agg(body, ',' order by first_seq), max(last_event_id) from (
        select *, sum(octet_length(body)) over seen / ${COMPACT_BYTES}::int as part,
          sum(last_seq - first_seq + 1) over seen - last_seq as hole
        from ${segments} where recording = ${id} window seen as (order by first_seq)
      ) as sized group by recording, part, hole`)
    await store.execute(sql`delete from ${segments} where recording = ${id} and first_seq > 0`)
    await store.execute(sql`update ${segments} set first_seq = -first_seq where recording = ${id}`)
  })
}

export async function renewLeases(
  instance: number,
  live: { id: string; entries: number; bytes: number; phase: RecordingSummary['phase'] }[],
): Promise<void> {
  if (live.length === 0) return
  const values = sql.join(
    live.map((one) => sql`(${one.id}::uuid, ${one.entries}::int, ${one.bytes}::bigint, ${one.phase}::text)`),
    sql`, `,
  )
  await (await db()).execute(sql`
    with v (id, entries, bytes, phase) as (values ${values}),
    locked as (
      select id from ${recordings} where id in (select id from v) and owner = ${instance} and phase <> 'ended'
      order by id for no key update
    )
    update ${recordings} as r set lease_until = ${LEASE}, entries = v.entries, bytes = v.bytes, phase = v.phase
    from v join locked on locked.id = v.id where r.id = v.id`)
}

/**
 * Takes over recordings that nobody records: handed over at a shutdown, or their instance lost its lock or did not
 * renew its lease.
 */
export async function claimRecordings(instance: number): Promise<{ row: RecordingRow; wasCrash: boolean }[]> {
  return (await db()).transaction(async (store: Pick<Store, 'execute' | 'update'>) => {
    const { rows: free } = await store.execute<{ id: string; owner: number | null }>(sql`
      select id, owner from ${recordings} as r
      where phase <> 'ended' and (
        owner is null or lease_until < now() or (owner <> ${instance} and not exists (
          select 1 from pg_locks where locktype = 'advisory' and classid = ${LOCKS.instance} and objid = r.owner::oid
            and objsubid = 2 and granted and database = (select oid from pg_database where datname = current_database())
        ))
      ) order by started_at limit 50 for update skip locked`)
    const claimed: { row: RecordingRow; wasCrash: boolean }[] = []
    for (const { id, owner } of free) {
      const [row] = await store
        .update(recordings)
        .set({ owner: instance, leaseUntil: LEASE })
        .where(eq(recordings.id, id))
        .returning()
      if (row) claimed.push({ row, wasCrash: owner !== null })
    }
    return claimed
  })
}

export async function setCuts(id: string, cuts: number[]): Promise<void> {
  await (await db()).update(recordings).set({ cuts }).where(eq(recordings.id, id))
}

/**
 * Deletes recordings of runs that ended more than `days` days ago, in batches. A run may have been recorded after its
 * end: then its lease tells when.
 */
export async function deleteOld(days: number): Promise<void> {
  const store = await db()
  for (;;) {
    const { rowCount } = await store.execute(sql`
      delete from ${recordings} where id in (
        select id from ${recordings} where phase = 'ended' and ended_at < now() - make_interval(days => ${days}::int)
          and (lease_until is null or lease_until < now() - make_interval(days => ${days}::int)) limit 100
      )`)
    if (!rowCount) return
  }
}

export type RecordingsFilter = {
  workspace: string
  deploymentId?: string
  thread?: string
  run?: string
  phase?: 'live' | 'ended'
  outcome?: RecordingOutcome
  /** `next` of the previous page. */
  after?: string
  limit?: number
}
export type RecordingsPage = {
  items: RecordingSummary[] /** Give it as `after` for the next page; null at the end. */
  next: string | null
}

/** Newest first. */
export async function selectRecordings({
  workspace,
  deploymentId,
  thread,
  run,
  phase,
  outcome,
  after,
  limit = 50,
}: RecordingsFilter): Promise<RecordingsPage> {
  const [at, id] = after?.split('_') ?? []
  const place: (SQL | undefined)[] = [
    eq(recordings.workspace, workspace),
    deploymentId === undefined ? undefined : eq(recordings.deployment, deploymentId),
    thread === undefined ? undefined : eq(recordings.thread, thread),
    run === undefined ? undefined : eq(recordings.run, run),
    phase === undefined
      ? undefined
      : phase === 'ended'
        ? eq(recordings.phase, 'ended')
        : sql`${recordings.phase} <> 'ended'`,
    outcome === undefined ? undefined : eq(recordings.outcome, outcome),
  ]
  // A Date has milliseconds, but the index has the exact time, so the edge of a page is compared rounded.
  const time = sql`date_trunc('milliseconds', ${recordings.startedAt})`
  if (at && id && !Number.isNaN(Number(at))) {
    const edge = new Date(Number(at))
    place.push(or(lt(time, edge), and(eq(time, edge), sql`${recordings.id}::text < ${id}`)))
  }
  const rows = await (await db())
    .select(COLUMNS)
    .from(recordings)
    .where(and(...place))
    .orderBy(desc(time), sql`${recordings.id}::text desc`)
    .limit(limit + 1)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { items: rows.slice(0, limit).map(summaryOf), next: last ? `${last.startedAt.getTime()}_${last.id}` : null }
}

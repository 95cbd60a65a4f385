import { sql } from 'drizzle-orm'
import { type Db, PORTION, removeAll } from '../../kernel/database'

export type Retention = {
  maxAgeDays: number
  /** Limit for the stored inputs, outputs and events of one project. */
  maxBytes: number
}

/** The limits that are in force now. */
export type TraceRetention = {
  /** Whether the operator has set them. */
  readonly isFixed: boolean
  current(): Promise<Retention>
  change(retention: Retention): Promise<void>
}

/** Traces that are looked up at once. */
const TRACES = 500

/**
 * Removes expired traces, then the oldest of each project over its size limit, at most `portion` rows at once, so that the
 * intake is never blocked for long. An interrupted sweep leaves part of a trace, which the next one removes. Returns the
 * number of removed runs.
 */
export async function sweepTraces(db: Db, { maxAgeDays, maxBytes }: Retention, portion = PORTION): Promise<number> {
  let removed = 0
  const remove = async (traces: string[]) => {
    const ids = sql`${sql.param(traces)}::uuid[]`
    removed += await removeAll(
      db,
      sql`delete from platform.trace_runs where id in (
        select id from platform.trace_runs where trace_id = any(${ids}) or (trace_id is null and id = any(${ids})) limit ${portion})`,
    )
  }
  const isOld = sql`start_time < now() - make_interval(days => ${maxAgeDays})`
  // A trace is as old as its newest run, so that a trace in progress is not truncated.
  for (;;) {
    const { rows } = await db.execute<{ trace: string }>(sql`
      select distinct coalesce(trace_id, id) as trace from (
        select id, trace_id from platform.trace_runs old where ${isOld} and not exists (
          select from platform.trace_runs other where other.trace_id = old.trace_id and not (other.${isOld})) limit ${TRACES}) as old`)
    if (!rows.length) break
    await remove(rows.map(({ trace }) => trace))
  }
  const { rows } = await db.execute(sql`
    select project_id from platform.trace_runs runs join platform.trace_payloads payloads on payloads.run_id = runs.id
    where project_id is not null group by project_id having sum(bytes) > ${maxBytes}`)
  for (const { project_id } of rows as { project_id: string }[]) {
    const { rows: oldest } = await db.execute<{ trace_id: string }>(sql`
      select trace_id from (
        select trace_id, sum(sum(bytes)) over (order by max(start_time) desc nulls last, trace_id) as held
        from platform.trace_runs runs join platform.trace_payloads payloads on payloads.run_id = runs.id
        where project_id = ${project_id} and trace_id is not null group by trace_id
      ) as traces where held > ${maxBytes} order by held desc`)
    const traces = oldest.map(({ trace_id }) => trace_id)
    for (let at = 0; at < traces.length; at += TRACES) await remove(traces.slice(at, at + TRACES))
  }
  // Feedback may arrive before its run, so it has no foreign key to it.
  await removeAll(
    db,
    sql`delete from platform.trace_feedback where id in (
      select id from platform.trace_feedback feedback where created_at < now() - make_interval(days => 1) and not exists (
        select from platform.trace_runs runs where runs.id = coalesce(feedback.run_id, feedback.trace_id)) limit ${portion})`,
  )
  return removed
}

/** What traces take, and the project that takes most. */
export async function readTraceUsage(db: Db) {
  const { rows } = await db.execute<{
    name: string
    count: number
    bytes: number
    recentBytes: number
    recentDays: number
  }>(sql`
    select coalesce(projects.name, 'unknown') as name, count(distinct runs.id)::float8 as count,
      coalesce(sum(payloads.bytes), 0)::float8 as bytes,
      coalesce(sum(payloads.bytes) filter (where runs.start_time > now() - interval '7 days'), 0)::float8 as "recentBytes",
      least(7, greatest(0, extract(epoch from now() - coalesce(min(runs.start_time), now())) / 86400))::float8 as "recentDays"
    from platform.trace_runs runs left join platform.trace_payloads payloads on payloads.run_id = runs.id
      left join platform.tracing_projects projects on projects.id = runs.project_id
    group by projects.id order by bytes desc`)
  const { rows: sizes } = await db.execute<{ bytes: number }>(sql`
    select sum(pg_total_relation_size(table_name::regclass))::float8 as bytes
    from unnest(array['platform.trace_runs', 'platform.trace_payloads', 'platform.trace_attachments', 'platform.trace_feedback']) as table_name`)
  const [first] = rows
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    diskBytes: sizes[0]?.bytes ?? 0,
    largest: first ?? null,
  }
}

const HOUR_MS = 3_600_000

type Parts = {
  db: Db
  retention: Pick<TraceRetention, 'current'>
  /** What else the tables need after a sweep. It ends by itself when the database is closed. */
  tidy(): Promise<unknown>
  logError(line: string): void
}

/** Sweeps once an hour; the first sweep is delayed to keep load off startup. */
export function startRetention({ db, retention, tidy, logError }: Parts): { stop(): Promise<void> } {
  let sweep: Promise<unknown> = Promise.resolve()
  let isTidying = false
  let isStopped = false
  const look = () => {
    sweep = retention
      .current()
      .then((limits) => sweepTraces(db, limits))
      .catch((error: Error) => logError(`Old traces were not removed: ${error.message}`))
      .then(startTidying)
  }
  const startTidying = () => {
    if (isTidying || isStopped) return
    isTidying = true
    tidy()
      .catch((error: Error) => {
        if (!isStopped) logError(`The indexes of traces were not looked after: ${error.message}`)
      })
      .finally(() => {
        isTidying = false
      })
  }
  const first = setTimeout(look, 60_000)
  const timer = setInterval(look, HOUR_MS)
  first.unref()
  timer.unref()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(first)
      clearInterval(timer)
      await sweep
    },
  }
}

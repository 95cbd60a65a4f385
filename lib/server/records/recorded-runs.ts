import 'server-only'
import { and, desc, eq, gte, inArray, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { type RunRow, STATUS_GROUPS, type StatusGroup, statusGroupOf } from '@/lib/contracts/agents/run-row'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { RecordingOutcome } from '@/lib/stream/log'
import { askedText, firstLine } from '@/lib/stream/thread-rows'
import type { Actor } from '../access/actor'
import { authorizeWithin } from '../audit/own-records'
import { db } from '../process/db'
import { recordings } from '../recorder/schema'
import { outcomeNow } from '../recorder/store'
import { settleWaiting } from '../recorder/waiting'

/** A position in a list that is ordered by time and id, newest first. */
export type Edge = { at: number; id: string }

export type RowsFilter = {
  deployment?: string
  status?: StatusGroup
  /** Ids and graph names that identify the assistant. */
  assistants?: readonly string[]
  thread?: string
  runs?: readonly string[]
  /** Part of the user's address, in any case. */
  by?: string
  /** Part of an id or of the first 4,000 characters of the request, of the error, or of an output, in any case. */
  text?: string
  /** Epoch ms. Outputs of earlier runs are not searched, because reading those of all runs takes seconds. */
  outputsSince?: number
  /** Epoch ms. */
  since?: number
  until?: number
}

// Requests may be megabytes, so a search covers only their beginning.
const SEARCHED = 4_000

// Ids of runs that were not recorded are no UUIDs, so the edge of a page is compared as text, by code point as in JavaScript.
const idText = sql`${recordings.id}::text collate "C"`
const holds = (
  column: SQL | typeof recordings.run | typeof recordings.error | typeof recordings.output,
  text: string,
) => sql`strpos(lower(${column}), ${text.toLowerCase()}) > 0`

/**
 * A stored `waiting` may have been continued. Where that was not recorded only `settleWaiting` knows, so such rows are among
 * the continued ones too, unless only `isCertain` ones are wanted. The stored outcome is compared first, because it is a
 * column.
 */
function hasOutcome(outcomes: readonly RecordingOutcome[], isCertain: boolean): SQL | undefined {
  const stored: RecordingOutcome[] = outcomes.includes('continued') ? [...outcomes, 'waiting'] : [...outcomes]
  return and(
    inArray(recordings.outcome, stored),
    isCertain || outcomes.includes('waiting') ? inArray(outcomeNow, [...outcomes]) : undefined,
  )
}

function conditions(
  workspace: string,
  filter: RowsFilter,
  after: Edge | undefined,
  isCertain = false,
): (SQL | undefined)[] {
  const { deployment: deploymentId, status, assistants, thread, runs, by, text, since, until, outputsSince } = filter
  const { assistant, error, output, request, run, startedBy } = recordings
  return [
    eq(recordings.workspace, workspace),
    deploymentId === undefined ? undefined : eq(recordings.deployment, deploymentId),
    status === 'active' ? ne(recordings.phase, 'ended') : undefined,
    status && status !== 'active' ? hasOutcome(STATUS_GROUPS[status], isCertain) : undefined,
    assistants && inArray(assistant, [...assistants]),
    thread === undefined ? undefined : eq(recordings.thread, thread),
    runs && inArray(run, [...runs]),
    by === undefined ? undefined : holds(sql`${startedBy}`, by),
    text === undefined
      ? undefined
      : or(
          holds(sql`${recordings.id}::text`, text),
          holds(run, text),
          holds(sql`${recordings.thread}`, text),
          holds(sql`${assistant}`, text),
          holds(sql`left(${request}, ${SEARCHED})`, text),
          holds(error, text),
          outputsSince === undefined
            ? undefined
            : and(gte(recordings.startedAt, new Date(outputsSince)), holds(output, text)),
        ),
    since === undefined ? undefined : gte(recordings.startedAt, new Date(since)),
    until === undefined ? undefined : lt(recordings.startedAt, new Date(until)),
    // The first condition is what an index can be searched for.
    after && lte(recordings.startedAt, new Date(after.at)),
    after && or(lt(recordings.startedAt, new Date(after.at)), sql`${idText} < ${after.id}`),
  ]
}

const { id, deployment, thread, run, assistant, assistantVersion, phase } = recordings
const { startedBy, startedAt, endedAt, isStateless } = recordings
const COLUMNS = {
  ...{ id, deployment, thread, run, assistant, assistantVersion, phase, outcome: outcomeNow },
  ...{ startedBy, startedAt, endedAt, isStateless },
  request: sql<string>`left(${recordings.request}, ${SEARCHED})`,
  error: recordings.error,
  ...{ questions: recordings.questions, figures: recordings.figures },
}

/**
 * How many runs are read, at most, for those among them that were answered elsewhere. The rest is taken as recorded, because
 * servers are asked about each one.
 */
const MOST_ASKED = 4_000

/** At most `limit` recordings as rows, newest first; fewer only if there are no more. */
export async function recordedRows(
  actor: Actor,
  workspace: string,
  filter: RowsFilter,
  { after, limit: count }: { after: Edge | undefined; limit: number },
): Promise<RunRow[]> {
  const limit = await authorizeWithin(consoleRecords.readRecordings, actor, workspace)
  const store = await db()
  const { status } = filter
  const isAsked = (row: { outcome: RecordingOutcome | null }) =>
    !status || status === 'active' || statusGroupOf(row.outcome ?? 'unknown') === status
  const read = (edge: Edge | undefined, size: number, isCertain: boolean) =>
    store
      .select(COLUMNS)
      .from(recordings)
      .where(and(...conditions(workspace, filter, edge, isCertain), limit ? inArray(deployment, limit) : undefined))
      .orderBy(desc(startedAt), desc(id))
      .limit(size)
  const found: Awaited<ReturnType<typeof read>> = []
  let edge = after
  for (let size = count, left = MOST_ASKED; ; size = left > 0 ? Math.min(4 * size, left) : count) {
    const rows = await read(edge, size, left <= 0)
    found.push(...(left > 0 ? await settleWaiting(workspace, rows) : rows).filter(isAsked))
    const last = rows.at(-1)
    if (!last || rows.length < size || found.length >= count) break
    edge = { at: last.startedAt.getTime(), id: last.id }
    left -= size
  }
  return found.slice(0, count).map(({ phase, outcome, request, error, questions: _, figures, ...row }) => ({
    ...row,
    ...given('input', askedText(request)),
    ...given('error', error === null ? undefined : firstLine(error)),
    ...(figures && { recorded: figures }),
    recording: row.id,
    status: phase === 'ended' ? (outcome ?? 'unknown') : phase === 'live' ? 'running' : phase,
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }))
}

/** The runs that wait as recorded, `continued` where one was answered elsewhere. */
export async function waitingRuns(
  actor: Actor,
  workspace: string,
  filter: RowsFilter,
): Promise<{ startedAt: Date; outcome: RecordingOutcome | null }[]> {
  const limit = await authorizeWithin(consoleRecords.readRecordings, actor, workspace)
  const waiting = { ...filter, status: 'waiting' as const }
  const rows = await (await db())
    .select({ deployment, thread, run, startedAt, outcome: outcomeNow, questions: recordings.questions })
    .from(recordings)
    .where(and(...conditions(workspace, waiting, undefined), limit ? inArray(deployment, limit) : undefined))
    .orderBy(desc(startedAt), desc(id))
    .limit(MOST_ASKED)
  return await settleWaiting(workspace, rows)
}

/**
 * How many recordings started in each interval of `step` seconds, by status; nothing for the intervals without any. One of
 * them begins at `first`, in epoch ms.
 */
export async function recordedCounts(
  actor: Actor,
  workspace: string,
  filter: RowsFilter,
  { first, step }: { first: number; step: number },
): Promise<{ at: Date; status: string; runs: number }[]> {
  const limit = await authorizeWithin(consoleRecords.readRecordings, actor, workspace)
  const at = sql`date_bin(make_interval(secs => ${step}), ${startedAt}, to_timestamp(${first / 1000}))`
  return await (await db())
    .select({
      at: at.mapWith(startedAt),
      status: sql<string>`case when ${phase} <> 'ended' then 'running' else coalesce(${outcomeNow}, 'unknown') end`,
      runs: sql<number>`count(*)::int`,
    })
    .from(recordings)
    .where(and(...conditions(workspace, filter, undefined), limit ? inArray(deployment, limit) : undefined))
    .groupBy(sql`1`, sql`2`)
}

const given = (name: 'input' | 'error', text: string | undefined): Pick<RunRow, 'input' | 'error'> =>
  text ? { [name]: text } : {}

/** Returns a test for whether a run has a recording, by its run id or by the recording id in its metadata. */
export async function recordedAmong(
  actor: Actor,
  workspace: string,
  seen: readonly { run: string; recordingKey: string | undefined }[],
): Promise<(one: { run: string; recordingKey: string | undefined }) => boolean> {
  const limit = await authorizeWithin(consoleRecords.readRecordings, actor, workspace)
  if (seen.length === 0) return () => false
  const keys = seen.flatMap(({ recordingKey }) => (recordingKey ? [recordingKey] : []))
  const known = await (await db())
    .select({ id, run })
    .from(recordings)
    .where(
      and(
        eq(recordings.workspace, workspace),
        limit ? inArray(deployment, limit) : undefined,
        or(
          inArray(
            run,
            seen.map((one) => one.run),
          ),
          keys.length > 0 ? inArray(sql`${id}::text`, keys) : undefined,
        ),
      ),
    )
  const runs = new Set(known.map((one) => one.run))
  const ids = new Set(known.map((one) => one.id))
  return (one) => runs.has(one.run) || (one.recordingKey !== undefined && ids.has(one.recordingKey))
}

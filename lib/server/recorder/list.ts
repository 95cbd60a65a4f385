import 'server-only'
import { and, desc, eq, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { RecordingOutcome, RecordingSummary } from '@/lib/stream/log'
import { db } from '../process/db'
import { recordings } from './schema'
import { COLUMNS, summaryOf } from './store'
import { settleWaiting } from './waiting'

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

/** Newest first; only of the deployments in `limited`, if there is one. */
export async function selectRecordings(
  { workspace, deploymentId, thread, run, phase, outcome, after, limit = 50 }: RecordingsFilter,
  limited: readonly string[] | null = null,
): Promise<RecordingsPage> {
  const [at, id] = after?.split('_') ?? []
  const place: (SQL | undefined)[] = [
    eq(recordings.workspace, workspace),
    deploymentId === undefined ? undefined : eq(recordings.deployment, deploymentId),
    limited ? inArray(recordings.deployment, [...limited]) : undefined,
    thread === undefined ? undefined : eq(recordings.thread, thread),
    run === undefined ? undefined : eq(recordings.run, run),
    phase === undefined
      ? undefined
      : phase === 'ended'
        ? eq(recordings.phase, 'ended')
        : sql`${recordings.phase} <> 'ended'`,
    outcome === undefined ? undefined : eq(recordings.outcome, outcome),
  ]
  if (at && id && !Number.isNaN(Number(at))) {
    const edge = new Date(Number(at))
    // The first condition is what an index can be searched for.
    place.push(lte(recordings.startedAt, edge))
    place.push(or(lt(recordings.startedAt, edge), sql`${recordings.id}::text collate "C" < ${id}`))
  }
  const rows = await (await db())
    .select(COLUMNS)
    .from(recordings)
    .where(and(...place))
    .orderBy(desc(recordings.startedAt), desc(recordings.id))
    .limit(limit + 1)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const items = (await settleWaiting(workspace, rows.slice(0, limit))).map(summaryOf)
  return { items, next: last ? `${last.startedAt.getTime()}_${last.id}` : null }
}

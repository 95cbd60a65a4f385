import 'server-only'
import { and, desc, eq, gte, inArray, sql } from 'drizzle-orm'
import { STATUS_GROUPS } from '@/lib/contracts/agents/run-row'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Actor } from '../access/actor'
import { authorizeWithin } from '../audit/own-records'
import { db } from '../process/db'
import { mapConcurrent } from '../process/map-concurrent'
import { recordings } from '../recorder/schema'

export type RecordedActivity = {
  /** Hours with recordings, by their start in epoch ms. */
  hours: { hour: number; runs: number; failed: number }[]
  /** Seconds; null if no run of these hours has ended. */
  p95: number | null
  last: string
}

/** The recordings of these deployments since a time, by deployment id. Those without any recording are missing. */
export async function recordedActivity(
  actor: Actor,
  workspace: string,
  ids: readonly string[],
  since: number,
): Promise<Map<string, RecordedActivity>> {
  const limit = await authorizeWithin(consoleRecords.readRecordings, actor, workspace)
  const { deployment, startedAt, endedAt, outcome } = recordings
  const store = await db()
  // One by one, because the index gives the newest of one deployment without reading the others.
  const read = await mapConcurrent(
    ids.filter((id) => !limit || limit.includes(id)),
    async (id) => {
      const isHere = and(eq(recordings.workspace, workspace), eq(deployment, id))
      const [last] = await store
        .select({ at: startedAt })
        .from(recordings)
        .where(isHere)
        .orderBy(desc(startedAt))
        .limit(1)
      return last && { id, last: last.at }
    },
  )
  const found = read.filter((one) => one !== undefined)
  const late = found.filter(({ last }) => last.getTime() >= since).map(({ id }) => id)
  const isLate = and(
    ...[eq(recordings.workspace, workspace), inArray(deployment, late), gte(startedAt, new Date(since))],
  )
  const ofHour = sql`date_trunc('hour', ${startedAt}, 'UTC')`
  const seconds = sql`extract(epoch from ${endedAt} - ${startedAt})`
  const [hours, latencies] =
    late.length === 0
      ? [[], []]
      : await Promise.all([
          store
            .select({
              deployment,
              hour: sql<number>`(extract(epoch from ${ofHour}) * 1000)::float8`,
              runs: sql<number>`count(*)::int`,
              failed: sql<number>`(count(*) filter (where ${inArray(outcome, [...STATUS_GROUPS.failed])}))::int`,
            })
            .from(recordings)
            .where(isLate)
            .groupBy(deployment, ofHour),
          store
            .select({
              deployment,
              p95: sql<number | null>`(percentile_cont(0.95) within group (order by ${seconds}))::float8`,
            })
            .from(recordings)
            .where(isLate)
            .groupBy(deployment),
        ])
  const p95Of = new Map(latencies.map((row) => [row.deployment, row.p95]))
  return new Map(
    found.map(({ id, last }) => [
      id,
      {
        hours: hours.filter((row) => row.deployment === id).map(({ hour, runs, failed }) => ({ hour, runs, failed })),
        p95: p95Of.get(id) ?? null,
        last: last.toISOString(),
      },
    ]),
  )
}

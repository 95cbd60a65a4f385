import 'server-only'
import { z } from 'zod'
import { ACTIVITY_MS, type DeploymentActivity, type FleetActivity, type RunActivity } from '@/lib/contracts/activity'
import type { RecentChange } from '@/lib/contracts/audit/audit-row'
import { auditSentence, namedSentence } from '@/lib/contracts/audit/sentence'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { traces } from '@/lib/contracts/traces'
import type { TraceTotals } from '@/lib/contracts/traces/run-queries'
import { AppError } from '@/lib/errors'
import { type Actor, systemActor } from '../../access/actor'
import { mapConcurrent } from '../../process/map-concurrent'
import { parseInput } from '../../process/result'
import { within } from '../../process/within'
import { lastChanges } from '../../records/changes'
import { type RecordedActivity, recordedActivity } from '../../records/recorded-activity'
import { serveRead } from '../../relay/serve-read'
import { call } from '../../upstream/call'
import { tracingProjects } from './traced'

// The figures of the rows on screen, read apart from the list, which must not wait for them.

/** The rows of one page of the list. */
const MOST = 50
const HOUR_MS = 3_600_000
/** How long figures are shared. Those of a single deployment stand above its charts, and must agree with them. */
const KEPT_MS = { page: 30_000, one: 2_000 }
const MOST_KEPT = 2_000
const DEADLINE_MS = 6_000

const Query = z.strictObject({
  ids: z
    .string()
    .max(4_000)
    .transform((text) => [...new Set(text.split(',').filter(Boolean))])
    .refine(({ length }) => length <= MOST, `At most ${MOST} deployments.`),
})

type Traced = { runs: RunActivity; lastRun: string | null }
const kept = new Map<string, { at: number; traced: Promise<Traced> }>()

/**
 * Runs of the last 24 hours, last run and last change of these deployments. What cannot be read in time is null. Throws
 * AppError like `call` if the deployments themselves cannot be read.
 */
export async function readActivity(
  workspace: string,
  query: unknown,
  { actor, signal }: { actor: Actor; signal?: AbortSignal },
): Promise<FleetActivity> {
  const { ids } = parseInput(Query, query)
  if (ids.length === 0) return {}
  const asked = { limit: MOST, offset: 0, deployment_ids: ids.join(',') }
  const { resources } = await call(controlPlane.listDeployments, { workspace, query: asked }, { actor, signal })
  // A server that ignores the filter gives others.
  const deployments = resources.filter(({ id }) => ids.includes(id))
  const [runs, changes] = await Promise.all([
    readRuns(workspace, deployments, actor, ids.length === 1 ? KEPT_MS.one : KEPT_MS.page),
    lastChanges(
      actor,
      workspace,
      deployments.map(({ id }) => id),
    ),
  ])
  return Object.fromEntries([...runs].map(([id, known]) => [id, { ...known, change: changeOf(changes.get(id), id) }]))
}

type RunsOfDeployment = Omit<DeploymentActivity, 'change'>

/** Their runs of the last 24 hours and last run, by deployment id. What cannot be read in time is null. */
export async function readRuns(
  workspace: string,
  deployments: readonly Deployment[],
  actor: Actor,
  keptMs = KEPT_MS.page,
): Promise<Map<string, RunsOfDeployment>> {
  const now = Date.now()
  const [projects, recorded] = await Promise.all([
    inTime(tracingProjects(workspace, deployments, options())),
    recordedActivity(
      actor,
      workspace,
      deployments.map(({ id }) => id),
      now - ACTIVITY_MS,
    ),
  ])
  const rows = await mapConcurrent(deployments, async ({ id }): Promise<[string, RunsOfDeployment]> => {
    const project = projects instanceof AppError ? undefined : projects?.get(id)
    const traced = project === undefined ? undefined : await inTime(tracedActivity(workspace, project, now, keptMs))
    const failure = [projects, traced].find((one) => one instanceof AppError)
    const runs = ofRuns(traced instanceof AppError ? undefined : traced, recorded.get(id), now)
    // Recordings cannot stand in for a tracing server that fails, because they have fewer runs.
    return [id, failure ? { ...runs, runs: null, problem: failure.view.message } : { ...runs, problem: null }]
  })
  return new Map(rows)
}

function changeOf(change: RecentChange | undefined, id: string): DeploymentActivity['change'] {
  if (!change) return null
  const names = { deployments: { [id]: 'this deployment' }, accounts: {} }
  return { ...change, did: namedSentence(auditSentence(change, change.outcome), names) }
}

/** Serves `GET /api/activity/{workspace}` with `readActivity`. */
export const serveActivity = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, options) => readActivity(workspace, query, options))

/** The value, or the AppError why there is none in time. */
const inTime = <T>(value: Promise<T>): Promise<T | AppError> =>
  within(DEADLINE_MS, value, new AppError('upstream_unreachable', 'The tracing server did not respond in time.')).catch(
    (error: unknown) =>
      error instanceof AppError ? error : new AppError('internal', 'The traces could not be read.', { cause: error }),
  )

const options = () => ({ actor: systemActor('activity'), signal: AbortSignal.timeout(2 * DEADLINE_MS) })

/** Shared by all viewers. */
function tracedActivity(workspace: string, project: string, now: number, keptMs: number): Promise<Traced> {
  const key = JSON.stringify([workspace, project])
  const known = kept.get(key)
  if (known && now < known.at + keptMs) return known.traced
  if (kept.size >= MOST_KEPT) kept.clear()
  const traced = readTraced(workspace, project, now)
  kept.set(key, { at: now, traced })
  traced.catch(() => kept.delete(key))
  return traced
}

async function readTraced(workspace: string, project: string, now: number): Promise<Traced> {
  const since = new Date(now - ACTIVITY_MS).toISOString()
  const body = { session: [project], is_root: true }
  const totals = await call(
    traces.getTraceTotals,
    { workspace, body: { ...body, start_time: since, bucket_seconds: HOUR_MS / 1000 } },
    options(),
  )
  const { run_count: runs, error_count: failed, latency_p95: p95 } = totals
  if (runs === null || runs === undefined || failed === null || failed === undefined)
    throw new AppError('upstream_shape', 'The tracing server did not send the numbers of runs.')
  return {
    runs: { source: 'traces', runs, failed, hours: hoursOf(totals, now), p95: runs > 0 ? (p95 ?? null) : null },
    lastRun: totals.last_run_start_time ?? (await lastOf(workspace, body)),
  }
}

async function lastOf(workspace: string, body: { session: string[]; is_root: boolean }): Promise<string | null> {
  const query = { ...body, limit: 1, select: ['start_time'] }
  const { runs } = await call(traces.queryTraceRuns, { workspace, body: query }, options())
  const time = new Date(runs[0]?.start_time ?? Number.NaN)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

const HOURS = ACTIVITY_MS / HOUR_MS + 1
const noRuns = () => Array.from({ length: HOURS }, () => ({ runs: 0, failed: 0 }))
/** The place of an hour among those that end now. */
const placeOf = (hour: number, now: number) => Math.floor(hour / HOUR_MS) - Math.floor(now / HOUR_MS) + HOURS - 1

function hoursOf({ buckets }: TraceTotals, now: number): RunActivity['hours'] {
  if (!buckets) return null
  const hours = noRuns()
  for (const { start_time, run_count, error_count } of buckets) {
    const hour = hours[placeOf(Date.parse(start_time), now)]
    if (!hour) continue
    hour.runs += run_count ?? 0
    hour.failed += error_count ?? 0
  }
  return hours
}

function ofRuns(
  traced: Traced | undefined,
  recorded: RecordedActivity | undefined,
  now: number,
): Pick<DeploymentActivity, 'runs' | 'lastRun'> {
  const source = traced ? 'traces' : 'recordings'
  const last = traced ? traced.lastRun : (recorded?.last ?? null)
  const lastRun = last === null ? null : ({ at: last, source } as const)
  if (traced) return { runs: traced.runs, lastRun }
  // Without any recording, nothing is known of the runs that others started.
  if (!recorded) return { runs: null, lastRun }
  const hours = noRuns()
  for (const { hour, ...counts } of recorded.hours) {
    const at = placeOf(hour, now)
    if (hours[at]) hours[at] = counts
  }
  const sum = (of: 'runs' | 'failed') => hours.reduce((total, one) => total + one[of], 0)
  return { runs: { source, runs: sum('runs'), failed: sum('failed'), hours, p95: recorded.p95 }, lastRun }
}

import 'server-only'
import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import type { LastCronRuns } from '@/lib/queries/crons'
import { type Actor, systemActor } from '../../access/actor'
import { mapConcurrent } from '../../process/map-concurrent'
import { queryText } from '../../process/query-fields'
import { parseInput } from '../../process/result'
import { recordedRows } from '../../records/recorded-runs'
import { serveRead } from '../../relay/serve-read'
import { call } from '../../upstream/call'
import { authorize } from '../../upstream/call-context'
import { seenOn } from './elsewhere'

const DEADLINE_MS = 6_000
const MOST_CRONS = 100

const Query = z.strictObject({
  deployment: queryText,
  /** Ids of crons with commas between, each followed by a slash and the cron's own thread if it has one. */
  crons: z
    .string()
    .max(10_000)
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.string()).max(MOST_CRONS)),
})

/** The last run of each cron, as far as its server tells. Throws AppError. */
export async function readLastCronRuns(workspace: string, query: unknown, actor: Actor): Promise<LastCronRuns> {
  const { deployment: deploymentId, crons } = parseInput(Query, query)
  const place = { workspace, deploymentId }
  await authorize(agentServer.searchCrons, place, actor)
  const found = await mapConcurrent(crons, async (text) => {
    const [cron = '', thread] = text.split('/')
    return [cron, await lastRunOf(place, cron, thread)] as const
  })
  const runs = found.flatMap(([, row]) => row?.run ?? [])
  // A server does not tell a cancelled run from one that asks; a recording does.
  const filter = { deployment: deploymentId, runs }
  const recorded =
    runs.length > 0 ? await recordedRows(actor, workspace, filter, { after: undefined, limit: runs.length }) : []
  const ofRun = new Map(recorded.map((row) => [row.run, row]))
  return Object.fromEntries(
    found.flatMap(([cron, row]) => (row === undefined ? [] : [[cron, row && (ofRun.get(row.run) ?? row)]])),
  )
}

/** Null if there is none, undefined if its server cannot tell. */
async function lastRunOf(place: DeploymentPlace, cron: string, own?: string): Promise<RunRow | null | undefined> {
  const body = { metadata: { cron_id: cron }, limit: 1, sort_by: 'created_at', sort_order: 'desc' } as const
  const options = { actor: systemActor('runs'), signal: AbortSignal.timeout(DEADLINE_MS) }
  try {
    const thread = own ?? (await call(agentServer.searchThreads, { ...place, body }, options))[0]?.thread_id
    if (thread === undefined) return null
    const { runs, looked } = await seenOn(place, thread)
    if (looked.problems.length > 0) return undefined
    const [last] = runs
      .filter(({ metadata }) => metadata.cron_id === cron)
      .sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
    if (!last) return null
    const { recordingKey: _key, graph: _graph, metadata: _metadata, ...row } = last
    return row
  } catch (error) {
    if (error instanceof AppError || options.signal.aborted) return undefined
    throw error
  }
}

/** Serves `GET /api/runs/{workspace}/of-crons` with `readLastCronRuns`. */
export const serveLastCronRuns = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, { actor }) => readLastCronRuns(workspace, query, actor))

import 'server-only'
import { ACTIVITY_MS } from '@/lib/contracts/activity'
import type { FailingDeployments } from '@/lib/contracts/deployments/deployment-row'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { failingRuns } from '@/lib/contracts/deployments/failing-runs'
import { systemActor } from '../../access/actor'
import { SharedReads } from '../../process/shared-reads'
import { recordedRows } from '../../records/recorded-runs'
import { readRuns } from './activity'
import { tracedRuns } from './traced'

/** How many failed runs are looked at, and the figures of how many deployments are read. */
const NEWEST = { runs: 100, deployments: 50 }

const reads = new SharedReads<FailingDeployments>({ keptMs: () => 10_000, waitMs: 200, staleMs: 60_000, most: 200 })

/**
 * The deployments whose runs fail now, of those with the newest failed runs, as recordings and traces tell them. Without those
 * that cannot be read. `limit`: the deployments that the reader may see, null for all; such readers share a reading.
 */
export function failingDeployments(
  workspace: string,
  deployments: readonly Deployment[],
  limit: readonly string[] | null,
): Promise<FailingDeployments> {
  const read = () => readFailing(workspace, deployments, limit).catch(() => new Map())
  return reads.get(JSON.stringify([workspace, limit]), read)
}

async function readFailing(
  workspace: string,
  deployments: readonly Deployment[],
  limit: readonly string[] | null,
): Promise<FailingDeployments> {
  const actor = systemActor('failing runs', limit)
  const filter = { status: 'failed', since: Date.now() - ACTIVITY_MS } as const
  const newest = { after: undefined, limit: NEWEST.runs }
  const [recorded, traced] = await Promise.all([
    recordedRows(actor, workspace, filter, newest),
    // Figures of a tracing server that fails are unknown.
    tracedRuns(workspace, deployments, { ...filter, ...newest }, () => true).catch(() => null),
  ])
  const failed = [...(traced?.runs ?? []), ...recorded].map(({ deployment }) => deployment)
  const wanted = deployments.filter(({ id }) => failed.includes(id)).slice(0, NEWEST.deployments)
  if (wanted.length === 0) return new Map()
  const now = Date.now()
  const found = [...(await readRuns(workspace, wanted, actor))].flatMap(([id, { runs }]) => {
    const failing = failingRuns(runs?.hours ?? null, now)
    return failing ? [[id, failing] as const] : []
  })
  return new Map(found)
}

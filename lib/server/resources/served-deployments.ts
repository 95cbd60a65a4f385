import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { systemActor } from '../access/actor'
import { SharedReads } from '../process/shared-reads'
import { call } from '../upstream/call'

const PAGE = 100
const REQUEST_MS = 6_000
const DEADLINE_MS = 60_000
/** A list of several pages is kept for this many times as long as reading it took, so that reading takes a twentieth of the time. */
const SHARE = 19
const MOST_KEPT = 100

export type ServedDeployment = { id: string; name: string }
type Listed = { all: ServedDeployment[]; requests: number; tookMs: number }

// A control plane that falls silent is an error, not an old list.
const lists = new SharedReads<Listed>({
  keptMs: ({ requests, tookMs }) => (requests > 1 ? SHARE * tookMs : 0),
  waitMs: 0,
  staleMs: 0,
  most: MOST_KEPT,
})

/**
 * The deployments that have an agent server, for all readers with this limit. Reading 10,000 takes seconds: it goes on when
 * a reader leaves, and the next ones get its list. Throws AppError like `call`.
 */
export async function servedDeployments(
  workspace: string,
  limit: readonly string[] | null,
): Promise<ServedDeployment[]> {
  return (await lists.get(JSON.stringify([workspace, limit]), () => listed(workspace, limit))).all
}

async function listed(workspace: string, limit: readonly string[] | null): Promise<Listed> {
  const began = Date.now()
  const options = {
    actor: systemActor('fleet', limit),
    signal: AbortSignal.timeout(DEADLINE_MS),
    timeoutMs: REQUEST_MS,
  }
  const all: ServedDeployment[] = []
  for (let requests = 1, offset = 0; ; requests++) {
    const { resources } = await call(
      controlPlane.listDeployments,
      { workspace, query: { limit: PAGE, offset } },
      options,
    )
    for (const one of resources) if (hasServer(one)) all.push({ id: one.id, name: one.name })
    offset += resources.length
    if (resources.length < PAGE) return { all, requests, tookMs: Date.now() - began }
  }
}

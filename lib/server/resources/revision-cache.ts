import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { type RevisionState, revisionState } from '@/lib/contracts/deployments/deployment-row'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { isRevisionInProgress, isRevisionTerminal } from '@/lib/contracts/wire/state'
import { systemActor } from '../access/actor'
import { within } from '../process/within'
import { call } from '../upstream/call'

// Control planes list deployments without revision states, so the states are read one by one and shared among readers.
// No role is checked here: the list that asks has already checked it.

/** `stamp` is the deployment's `updated_at`; a new one invalidates the entry. */
type Kept = { stamp: string; until: number; state: Promise<RevisionState | undefined> }

/** How long a state is cached, in ms. Even an ended revision may be redeployed in place. */
const FRESH = { ended: 20_000, moving: 1_000, other: 5_000, failed: 5_000 }
const MAX_KEPT = 10_000
const AT_ONCE = 8
const TIMEOUT_MS = 10_000
const actor = systemActor('list')

// On globalThis, because pages, routes and the poller each have their own copy of this module.
const shared = globalThis as { pilothouseRevisions?: Map<string, Kept> }

export type RevisionStates = (id: string) => RevisionState | undefined

/** The states of these deployments' latest and active revisions, as far as they are known within `waitMs`. */
export async function revisionStates(
  workspace: string,
  deployments: readonly Deployment[],
  waitMs: number,
): Promise<RevisionStates> {
  const found = new Map<string, RevisionState>()
  const wanted = deployments.flatMap((deployment) =>
    [...new Set([deployment.latest_revision_id, deployment.active_revision_id])].flatMap((id) =>
      id ? [{ deployment, id }] : [],
    ),
  )
  const queue = wanted.values()
  const work = async () => {
    for (const { deployment, id } of queue) {
      const state = await stateOf(workspace, deployment, id)
      if (state) found.set(id, state)
    }
  }
  // Later responses are cached for the next read.
  await within(waitMs, Promise.all(Array.from({ length: Math.min(AT_ONCE, wanted.length) }, work)), undefined)
  const known = new Map(found)
  return (id) => known.get(id)
}

function stateOf(workspace: string, { id, updated_at: stamp }: Deployment, revision: string): Kept['state'] {
  shared.pilothouseRevisions ??= new Map()
  const all = shared.pilothouseRevisions
  const key = JSON.stringify([workspace, id, revision])
  const before = all.get(key)
  if (before && before.stamp === stamp && before.until > Date.now()) return before.state
  const kept: Kept = { stamp, until: Number.POSITIVE_INFINITY, state: read(workspace, id, revision) }
  void kept.state.then((state) => {
    kept.until = Date.now() + freshFor(state)
  })
  all.delete(key) // move it to the end: the oldest are evicted first
  all.set(key, kept)
  for (const oldest of all.keys()) {
    if (all.size <= MAX_KEPT) break
    all.delete(oldest)
  }
  return kept.state
}

function freshFor(state: RevisionState | undefined): number {
  if (!state) return FRESH.failed
  if (isRevisionInProgress(state.status)) return FRESH.moving
  return isRevisionTerminal(state.status) ? FRESH.ended : FRESH.other
}

/** Undefined if it cannot be read: the row then shows an unknown state, and the list still loads. */
const read = (workspace: string, deployment_id: string, revision_id: string): Kept['state'] =>
  call(
    controlPlane.getRevision,
    { workspace, params: { deployment_id, revision_id } },
    { actor, timeoutMs: TIMEOUT_MS },
  ).then(revisionState, () => undefined)

import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { restoreRequest } from '@/lib/contracts/deployments/restore'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import type { RevisionPlace } from '@/lib/contracts/wire/places'
import { isRevisionInProgress, mayRevision, type RevisionVerb } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { safeWrite } from '../edits/safe-write'
import { call } from '../upstream/call'

/** The revision to show next, with an optional note for the user. */
export type VerbResult = { revision: string; note?: string }

type Keyed = RevisionPlace & { key: string }

/** Redeploys a revision. Servers do so in place or with a new revision, whose id is then returned. */
export async function redeployRevision({ key, ...place }: Keyed, actor: Actor): Promise<VerbResult> {
  const input = { ...at(place), params: params(place) }
  const resultOf = (latest: string | null | undefined, before: States): VerbResult => ({
    revision: latest && latest !== before.deployment.latest_revision_id ? latest : place.revision,
  })
  return await safeWrite<States, VerbResult>({
    operation: controlPlane.redeployRevision,
    place: input,
    actor,
    idempotency: { key, operation: 'redeployRevision', input: place },
    read: () => readBoth(place, actor),
    check: ({ revision }) => assertMay('redeploy', revision),
    send: async (before) =>
      resultOf((await call(controlPlane.redeployRevision, input, { actor })).latest_revision_id, before),
    isSame: (now, before) =>
      now.revision.status !== before.revision.status ||
      now.revision.updated_at !== before.revision.updated_at ||
      resultOf(now.deployment.latest_revision_id, before).revision !== place.revision,
    resultOf: (now, note, before) => ({ ...resultOf(now.deployment.latest_revision_id, before), note }),
  })
}

/** Interrupts a revision in progress. If it ended at the same moment, the note says how. */
export async function interruptRevision({ key, ...place }: Keyed, actor: Actor): Promise<VerbResult> {
  const input = { ...at(place), params: params(place) }
  return await safeWrite<Revision, VerbResult>({
    operation: controlPlane.interruptRevision,
    place: input,
    actor,
    idempotency: { key, operation: 'interruptRevision', input: place },
    read: () => readRevision(place, actor),
    check: (before) => assertMay('interrupt', before),
    send: async () => {
      await call(controlPlane.interruptRevision, input, { actor })
      return { revision: place.revision }
    },
    isSame: ({ status }) => !isRevisionInProgress(status),
    resultOf: ({ status }, note) => ({
      revision: place.revision,
      note: status === 'INTERRUPTED' ? note : `It ended as ${status} before it could be interrupted.`,
    }),
  })
}

export type Restore = RevisionPlace & {
  /** The deployment's latest revision when the request was reviewed. */
  latest: string | null
  /** The reviewed request as JSON. */
  reviewed: string
}

/** Creates a new revision from an old one's ref or image. Throws AppError conflict if something changed since the review. */
export async function restoreRevision(
  { key, ...request }: Restore & { key: string },
  actor: Actor,
): Promise<VerbResult> {
  const place = { ...at(request), params: { deployment_id: request.deploymentId } }
  // A restore that leaves the ref as it is must create a revision too, so it is not an `editDeployment`, but shares its lock.
  const bodyAt = ({ revision, deployment }: States) => {
    const restored = restoreRequest(revision, deployment)
    if ('problem' in restored) throw new AppError('conflict', restored.problem)
    return restored.body
  }
  return await safeWrite<States, VerbResult>({
    operation: controlPlane.updateDeployment,
    place,
    actor,
    idempotency: { key, operation: 'restoreRevision', input: request },
    lock: ['deployment', request.workspace, request.deploymentId],
    read: () => readBoth(request, actor),
    check: (before) => {
      const isReviewed = JSON.stringify(bodyAt(before)) === request.reviewed && latestOf(before) === request.latest
      if (isReviewed) return undefined
      throw new AppError(
        'conflict',
        "The deployment's latest revision or settings have changed since your review. Nothing was sent. Close this and review again.",
      )
    },
    send: async (before) => {
      const body = bodyAt(before)
      const { latest_revision_id: made } = await call(controlPlane.updateDeployment, { ...place, body }, { actor })
      if (made && made !== latestOf(before)) return { revision: made }
      return { revision: request.revision, note: 'The server accepted the change but returned no new revision.' }
    },
    isSame: async (now, before) => {
      const made = latestOf(now)
      if (!made || made === latestOf(before)) return false
      const { source_revision_config: config } = await readRevision({ ...request, revision: made }, actor)
      return Object.entries(bodyAt(before).source_revision_config ?? {}).every(
        ([field, value]) => config[field as keyof typeof config] === value,
      )
    },
    resultOf: (now, note) => ({ revision: latestOf(now) ?? request.revision, note }),
  })
}

const at = ({ workspace }: RevisionPlace) => ({ workspace })
const params = ({ deploymentId, revision }: RevisionPlace) => ({ deployment_id: deploymentId, revision_id: revision })
const readRevision = (place: RevisionPlace, actor: Actor) =>
  call(controlPlane.getRevision, { ...at(place), params: params(place) }, { actor })
const readDeployment = ({ workspace, deploymentId }: RevisionPlace, actor: Actor) =>
  call(controlPlane.getDeployment, { workspace, params: { deployment_id: deploymentId } }, { actor })

type States = { revision: Revision; deployment: Deployment }
const latestOf = ({ deployment }: States): string | null => deployment.latest_revision_id ?? null
async function readBoth(place: RevisionPlace, actor: Actor): Promise<States> {
  const [revision, deployment] = await Promise.all([readRevision(place, actor), readDeployment(place, actor)])
  return { revision, deployment }
}

function assertMay(verb: RevisionVerb, { status }: Revision): undefined {
  const may = mayRevision(verb, status)
  if (!may.allowed) throw new AppError('conflict', `The revision is now ${status}. ${may.reason}`)
}

import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { restoreRequest } from '@/lib/contracts/deployments/restore'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import type { RevisionPlace } from '@/lib/contracts/wire/places'
import { isRevisionInProgress, mayRevision, type RevisionVerb } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { resolveAmbiguousWrite } from '../edits/ambiguous-write'
import { withEditLock } from '../edits/lock'
import { call } from '../upstream/call'
import { authorize } from '../upstream/call-context'

/** The revision to show next, with an optional note for the user. */
export type VerbResult = { revision: string; note?: string }

// Each function checks the role first, so that users without it learn nothing about the state and the denial is audited.

const LATE = 'The server answered with a failure, but the change was made: it was looked up afterwards.'

/** Redeploys a revision. Servers do so in place or with a new revision, whose id is then returned. */
export async function redeployRevision(place: RevisionPlace, actor: Actor): Promise<VerbResult> {
  await authorize(controlPlane.redeployRevision, { ...at(place), params: params(place) }, actor)
  const [before, deployment] = await Promise.all([readRevision(place, actor), readDeployment(place, actor)])
  assertMay('redeploy', before)
  const latestBefore = deployment.latest_revision_id
  const resultOf = (latest: string | null | undefined): VerbResult => ({
    revision: latest && latest !== latestBefore ? latest : place.revision,
  })
  return await resolveAmbiguousWrite({
    send: async () =>
      resultOf(
        (await call(controlPlane.redeployRevision, { ...at(place), params: params(place) }, { actor }))
          .latest_revision_id,
      ),
    look: async () => {
      const [now, later] = await Promise.all([readRevision(place, actor), readDeployment(place, actor)])
      const isMoved = now.status !== before.status || now.updated_at !== before.updated_at
      const result = resultOf(later.latest_revision_id)
      return isMoved || result.revision !== place.revision ? { ...result, note: LATE } : undefined
    },
  })
}

/** Interrupts a revision in progress. If it ended at the same moment, the note says how. */
export async function interruptRevision(place: RevisionPlace, actor: Actor): Promise<VerbResult> {
  await authorize(controlPlane.interruptRevision, { ...at(place), params: params(place) }, actor)
  const before = await readRevision(place, actor)
  assertMay('interrupt', before)
  return await resolveAmbiguousWrite({
    send: async () => {
      await call(controlPlane.interruptRevision, { ...at(place), params: params(place) }, { actor })
      return { revision: place.revision }
    },
    look: async () => {
      const { status } = await readRevision(place, actor)
      if (status === 'INTERRUPTED') return { revision: place.revision, note: LATE }
      if (isRevisionInProgress(status)) return undefined
      return { revision: place.revision, note: `It had ended as ${status} before it could be interrupted.` }
    },
  })
}

export type Restore = RevisionPlace & {
  /** The deployment's latest revision when the request was reviewed. */
  latest: string | null
  /** The reviewed request as JSON. */
  reviewed: string
}

/** Creates a new revision from an old one's ref or image. Throws AppError conflict if something changed since the review. */
export async function restoreRevision(input: Restore, actor: Actor): Promise<VerbResult> {
  const place = { ...at(input), params: { deployment_id: input.deploymentId } }
  await authorize(controlPlane.updateDeployment, place, actor)
  // Shares the lock with other edits. `editDeployment` itself would send nothing if the ref is unchanged.
  return await withEditLock(input, () => restoreAlone(input, actor))
}

async function restoreAlone(input: Restore, actor: Actor): Promise<VerbResult> {
  const place = { ...at(input), params: { deployment_id: input.deploymentId } }
  const [old, before] = await Promise.all([readRevision(input, actor), readDeployment(input, actor)])
  const request = restoreRequest(old, before)
  if ('problem' in request) throw new AppError('conflict', request.problem)
  const latestBefore = before.latest_revision_id ?? null
  if (latestBefore !== input.latest || JSON.stringify(request.body) !== input.reviewed)
    throw new AppError(
      'conflict',
      'The deployment has changed since you reviewed this: it has another latest revision or other settings. Nothing was sent. Close this and look again.',
    )
  return await resolveAmbiguousWrite({
    send: async () => {
      const { latest_revision_id: made } = await call(
        controlPlane.updateDeployment,
        { ...place, body: request.body },
        { actor },
      )
      if (made && made !== latestBefore) return { revision: made }
      return { revision: input.revision, note: 'The server took the change and named no new revision.' }
    },
    look: async () => {
      const made = (await readDeployment(input, actor)).latest_revision_id
      if (!made || made === latestBefore) return undefined
      const { source_revision_config: config } = await readRevision({ ...input, revision: made }, actor)
      const isOurs = Object.entries(request.body.source_revision_config ?? {}).every(
        ([field, value]) => config[field as keyof typeof config] === value,
      )
      return isOurs ? { revision: made, note: LATE } : undefined
    },
  })
}

const at = ({ workspace }: RevisionPlace) => ({ workspace })
const params = ({ deploymentId, revision }: RevisionPlace) => ({ deployment_id: deploymentId, revision_id: revision })
const readRevision = (place: RevisionPlace, actor: Actor) =>
  call(controlPlane.getRevision, { ...at(place), params: params(place) }, { actor })
const readDeployment = ({ workspace, deploymentId }: RevisionPlace, actor: Actor) =>
  call(controlPlane.getDeployment, { workspace, params: { deployment_id: deploymentId } }, { actor })

function assertMay(verb: RevisionVerb, { status }: Revision): void {
  const may = mayRevision(verb, status)
  if (!may.allowed) throw new AppError('conflict', `The revision is ${status} by now. ${may.reason}`)
}

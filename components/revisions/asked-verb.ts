import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { isRevisionFailed, mayDeployment, mayRevision } from '@/lib/contracts/wire/state'

/** What links and the palette ask this page for, before a revision was chosen. */
export type AskedVerb = 'redeploy' | 'rollBack'

/** Whether a revision was deployed earlier than the one that serves, so that it can serve again. */
export const isEarlier = (revision: Revision, { active_revision_id: active }: Deployment, all: readonly Revision[]) => {
  const serving = all.find(({ id }) => id === active)
  if (!active || revision.id === active || revision.status !== 'DEPLOYED') return false
  return !serving || Date.parse(revision.created_at) < Date.parse(serving.created_at)
}

/** The revision that a verb is for if nobody chose one: the latest, or the newest that was deployed before the active one. */
export function revisionFor(
  verb: AskedVerb,
  deployment: Deployment,
  revisions: readonly Revision[],
): Revision | undefined {
  if (!mayDeployment('update', deployment.status).allowed) return undefined
  const newestFirst = revisions.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return newestFirst.find((one) =>
    verb === 'rollBack'
      ? isEarlier(one, deployment, revisions)
      : one.id === deployment.latest_revision_id && mayRevision('redeploy', one.status).allowed,
  )
}

/** Why there is no revision for a verb. */
export function nothingFor(verb: AskedVerb, deployment: Deployment, revisions: readonly Revision[]): string {
  if (verb === 'redeploy')
    return 'There is no revision to redeploy now: the latest one is in progress, or its state is unknown.'
  const { active_revision_id: active, latest_revision_id: latest } = deployment
  const latestStatus = revisions.find(({ id }) => id === latest)?.status
  return active && active !== latest && latestStatus && isRevisionFailed(latestStatus)
    ? 'There is nothing to roll back: the latest revision failed before it served, and an earlier one keeps serving.'
    : 'This page lists no revision that was deployed before the active one.'
}

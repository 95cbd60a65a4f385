'use client'
import { useQuery } from '@tanstack/react-query'
import { ClockTime } from '@/components/shared/text/relative-time'
import { StatusBadge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { deploymentHealth, type Health, isRevisionInProgress } from '@/lib/contracts/wire/state'
import { revisionQuery } from '@/lib/queries/revisions'

type HealthBadgeProps = {
  workspace: string
  deployment: Pick<Deployment, 'id' | 'status' | 'source' | 'latest_revision_id' | 'active_revision_id' | 'listener'>
}

/** The sentence of a health, with its time as pages show times. */
export function HealthDetail({ health: { detail, since } }: { health: Health }) {
  if (since === undefined) return detail
  const [before, after] = detail.split(since)
  return (
    <>
      {before}
      <ClockTime at={Date.parse(since)} />
      {after}
    </>
  )
}

/** The health of a deployment. Fetches the latest revision only if it is not the active one. */
export function HealthBadge({ workspace, deployment }: HealthBadgeProps) {
  const { id, latest_revision_id: latest, active_revision_id: active } = deployment
  const isActive = !latest || latest === active
  const revision = useQuery({
    ...revisionQuery(workspace, id, latest ?? ''),
    enabled: !isActive,
    refetchInterval: (query) => (query.state.data && isRevisionInProgress(query.state.data.status) ? 2_500 : false),
  })
  // Otherwise a failed roll-out would look ready for a moment.
  if (!isActive && revision.isPending) return <Skeleton className="my-0.5 w-20" />
  const health = deploymentHealth({ deployment, latestRevisionStatus: isActive ? null : revision.data?.status })
  return (
    <StatusBadge tone={health.level} title={health.detail}>
      {health.label}
    </StatusBadge>
  )
}

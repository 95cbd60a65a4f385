'use client'
import { useQuery } from '@tanstack/react-query'
import { ClockTime } from '@/components/shared/text/relative-time'
import { StatusBadge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import {
  type FailingRuns,
  failingRuns,
  healthWithRuns,
  RUNS_FAIL,
  type RunsHealth,
} from '@/lib/contracts/deployments/failing-runs'
import { deploymentHealth, isRevisionInProgress } from '@/lib/contracts/wire/state'
import { count } from '@/lib/format/format'
import { activityQuery } from '@/lib/queries/deployments'
import { revisionQuery } from '@/lib/queries/revisions'

type HealthBadgeProps = {
  workspace: string
  deployment: Pick<Deployment, 'id' | 'status' | 'source' | 'latest_revision_id' | 'active_revision_id' | 'listener'>
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long' })

/** "14:00", or "Wednesday 22:00" before midnight. */
function Since({ at }: { at: number }) {
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  return (
    <time dateTime={new Date(at).toISOString()} suppressHydrationWarning>
      {isToday ? '' : `${day.format(at)} `}
      {clock.format(at)}
    </time>
  )
}

export const FailingBadge = () => <StatusBadge tone="error">{RUNS_FAIL}</StatusBadge>

/** "33% of 30 runs failed since 14:00" */
export const FailingShare = ({ of: { since, runs, failed } }: { of: FailingRuns }) => (
  <>
    {Math.round((100 * failed) / runs)}% of {count(runs)} runs failed since <Since at={since} />
  </>
)

/** The sentence of a health, with its time as pages show times. */
export function HealthDetail({ health: { detail, since, failing } }: { health: RunsHealth }) {
  if (failing)
    return (
      <>
        <FailingShare of={failing} />.
      </>
    )
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

/** The overview reads them more often for its figures, and shares them. */
const RUNS_MS = 30_000

/** The health of a deployment. Fetches the latest revision only if it is not the active one. */
export function HealthBadge({ workspace, deployment }: HealthBadgeProps) {
  const { id, latest_revision_id: latest, active_revision_id: active } = deployment
  const isActive = !latest || latest === active
  const revision = useQuery({
    ...revisionQuery(workspace, id, latest ?? ''),
    enabled: !isActive,
    refetchInterval: (query) => (query.state.data && isRevisionInProgress(query.state.data.status) ? 2_500 : false),
  })
  const activity = useQuery({ ...activityQuery(workspace, [id]), refetchInterval: RUNS_MS })
  const pending = <Skeleton className="my-0.5 w-20" />
  // Otherwise a failed roll-out, or runs that fail, would look healthy for a moment.
  if (!isActive && revision.isPending) return pending
  const known = deploymentHealth({ deployment, latestRevisionStatus: isActive ? null : revision.data?.status })
  if (known.level === 'ok' && activity.isPending) return pending
  const runs = activity.isError ? null : activity.data?.[id]?.runs
  const health = healthWithRuns(known, failingRuns(runs?.hours ?? null, activity.dataUpdatedAt))
  return (
    <StatusBadge tone={health.level} title={health.since ? undefined : health.detail}>
      {health.label}
    </StatusBadge>
  )
}

'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { STALE_STYLE, useIsStale } from '@/components/shared/feedback/stale-notice'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { StatusBadge } from '@/components/ui/badge'
import { cn } from '@/lib/cn'
import type { DeploymentActivity, RunActivity } from '@/lib/contracts/activity'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { failingRuns } from '@/lib/contracts/deployments/failing-runs'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { deploymentHealth, isRevisionFailed } from '@/lib/contracts/wire/state'
import { count, duration, shortId } from '@/lib/format/format'
import { activityQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { FailingBadge, FailingShare, HealthDetail } from '../health-badge'

type Props = { workspace: string; deployment: Deployment; revisions: readonly Revision[] | undefined }

const SOURCES: Record<RunActivity['source'], string> = {
  traces: 'from traces',
  recordings: 'from recordings of this console',
}

/**
 * The state of a deployment: "Healthy. Revision 8f31 serves, rolled out 2 h ago. 412 runs in 24 h, 8 failed (2%)." One that
 * serves while its runs fail is not called healthy.
 */
export function OverviewStatus({ workspace, deployment, revisions }: Props) {
  const { id, latest_revision_id: latest, active_revision_id: active } = deployment
  const isStale = useIsStale()
  const activity = useQuery(activityQuery(workspace, [id]))
  const latestStatus = revisions?.find((one) => one.id === latest)?.status
  // Without the status of the latest revision, its health would be a guess. A failure has a card of its own.
  const isSaid =
    deployment.source !== 'external' &&
    (latest === active || (latestStatus !== undefined && !isRevisionFailed(latestStatus)))
  const health = deploymentHealth({
    deployment,
    latestRevisionStatus: latest === active ? null : latestStatus,
  })
  const { level, label } = health
  const runs = activity.isError ? null : activity.data?.[id]?.runs
  const failing = failingRuns(runs?.hours ?? null, activity.dataUpdatedAt)
  const serving = revisions?.find((one) => one.id === active)
  return (
    <p aria-live="polite" className={cn('flex flex-wrap items-baseline gap-x-2 gap-y-1', isStale && STALE_STYLE)}>
      {isSaid && !(level === 'ok' && (failing || activity.isPending)) ? (
        <StatusBadge tone={level}>{label}</StatusBadge>
      ) : null}
      {failing ? <FailingBadge /> : null}
      <span>
        {failing ? (
          <>
            <FailingShare of={failing} />.{' '}
          </>
        ) : null}
        {isSaid && (level !== 'ok' || latest !== active) ? (
          <>
            <HealthDetail health={health} />{' '}
            {deployment.listener?.away ? (
              <>
                <Link
                  className="text-accent underline"
                  href={routes.listeners(workspace, { listener: deployment.source_config.listener_id ?? '' })}
                >
                  Open listener
                </Link>
                .{' '}
              </>
            ) : null}
          </>
        ) : null}
        {active ? (
          <>
            Revision <code className="font-mono text-xs">{shortId(active)}</code>{' '}
            {deployment.listener?.away ? 'served when last heard of' : 'serves'}
            {serving?.status === 'DEPLOYED' ? (
              <>
                , rolled out <RelativeTime at={serving.updated_at} />
              </>
            ) : null}
            .{' '}
          </>
        ) : null}
        <RunsText activity={activity.isError ? undefined : activity.data?.[id]} isRead={!activity.isPending} />
      </span>
    </p>
  )
}

function RunsText({ activity, isRead }: { activity: DeploymentActivity | undefined; isRead: boolean }) {
  if (!isRead) return <span className="text-ink-3">Reading its runs…</span>
  const runs = activity?.runs
  if (!runs)
    return <span className="text-ink-2">Runs in 24 h: unknown.{activity?.problem ? ` ${activity.problem}` : ''}</span>
  if (runs.runs === 0) return <span className="text-ink-2">No runs in 24 h, {SOURCES[runs.source]}.</span>
  const share = Math.round((100 * runs.failed) / runs.runs)
  return (
    <>
      {count(runs.runs)} {runs.runs === 1 ? 'run' : 'runs'} in 24 h,{' '}
      {runs.failed === 0 ? 'none failed' : `${count(runs.failed)} failed (${share}%)`}
      {runs.p95 === null ? '' : `, p95 ${duration(runs.p95 * 1000)}`}
      <span className="text-ink-3"> {SOURCES[runs.source]}</span>.
    </>
  )
}

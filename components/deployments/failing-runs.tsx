'use client'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import type { FleetActivity, RunActivity } from '@/lib/contracts/activity'
import type { Looked, RunRowsPage } from '@/lib/contracts/agents/run-row'
import type { RecentChange } from '@/lib/contracts/audit/audit-row'
import { type FailingRuns, failingRuns } from '@/lib/contracts/deployments/failing-runs'
import { shortId } from '@/lib/format/format'
import { activityQuery, deploymentsQuery } from '@/lib/queries/deployments'
import type { RelayError } from '@/lib/queries/relay-fetch'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { SOURCES } from './activity/cells'
import { FailingBadge, FailingShare } from './health-badge'

/** Filters of a list of runs. */
export const FAILED = { status: 'failed', since: '24h' }
/** As many as one request tells the activity of. */
const NEWEST = 50
const REFRESH_MS = 30_000
/** While agent servers are still being read. */
const PENDING_MS = 3_000
const SOME_UNREAD = 'Failed runs of some deployments could not be read'

export type FailingDeployment = {
  id: string
  name: string
  change: RecentChange | null
  failing: FailingRuns
  /** Undefined while it is not known. */
  source: RunActivity['source'] | undefined
}

export type FailingNow = {
  failing: FailingDeployment[]
  /** How much was read. `part`: runs of other deployments may fail too. */
  coverage: 'loading' | 'part' | 'whole'
  /** What could not be read, if anything. */
  gap: string | undefined
}

/** The deployments whose runs fail now, of those with the newest failed runs. Read again every 30 s. */
export function useFailingRuns(workspace: string): FailingNow {
  const rows = useQuery({
    ...runRowsQuery(workspace, { ...FAILED, limit: NEWEST }),
    refetchInterval: ({ state }) => (isPending(state.data?.looked) ? PENDING_MS : REFRESH_MS),
  })
  const deployments = useQuery(deploymentsQuery(workspace, { limit: 100 })).data?.resources
  const ids = [...new Set(rows.data?.rows.map(({ deployment }) => deployment))].sort()
  const activity = useQuery(activityQuery(workspace, ids))
  const failing = ids.flatMap((id) => {
    const { runs, change } = activity.data?.[id] ?? { runs: null, change: null }
    const found = failingRuns(runs?.hours ?? null, activity.dataUpdatedAt)
    if (!found || !runs) return []
    const name = deployments?.find((one) => one.id === id)?.name ?? shortId(id)
    return [{ id, name, change, failing: found, source: runs.source }]
  })
  return { failing, ...coverageOf(rows, ids, activity) }
}

type Read<T> = Pick<UseQueryResult<T, RelayError>, 'data' | 'error' | 'failureReason' | 'isPlaceholderData'>

function coverageOf(
  rows: Read<RunRowsPage>,
  ids: string[],
  activity: Read<FleetActivity>,
): Omit<FailingNow, 'failing'> {
  const part = (gap?: string) => ({ coverage: 'part' as const, gap })
  const loading = { coverage: 'loading' as const, gap: undefined }
  if ([rows, activity].some(({ error, failureReason }) => error ?? failureReason))
    return part('Failed runs could not be read')
  if (!rows.data) return loading
  const { next, looked } = rows.data
  if (looked?.problems.some(({ isLate }) => !isLate)) return part(SOME_UNREAD)
  if (isPending(looked)) return loading
  if (ids.length > 0 && (!activity.data || activity.isPlaceholderData)) return loading
  if (ids.some((id) => !activity.data?.[id]?.runs?.hours)) return part(SOME_UNREAD)
  if (next !== null) return part(`Only the ${NEWEST} newest failed runs were checked`)
  // The list of a workspace has all runs of a deployment only from its traces.
  const { isBusyOnly, traced, deployments: all } = looked ?? { isBusyOnly: true, deployments: 0 }
  return isBusyOnly && !(traced && traced.deployments >= all) ? part() : { coverage: 'whole', gap: undefined }
}

const isPending = (looked: Looked | null | undefined) =>
  looked?.isPending || looked?.problems.some(({ isLate }) => isLate)

/** What is not known of failing runs, so that nobody takes silence for health. */
export const UnknownRuns = ({ workspace, gap }: { workspace: string; gap: string }) => (
  <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
    <StatusBadge tone="warn">Unknown</StatusBadge>
    <span className="min-w-0 flex-1 basis-64">{gap}</span>
    <Link href={routes.allRuns(workspace, FAILED)} className="text-accent text-xs hover:underline">
      Failed runs
    </Link>
  </li>
)

type Props = {
  workspace: string
  deployment: FailingDeployment
  renderChange: (change: RecentChange, deployment: { id: string; name: string }) => ReactNode
}

/** A deployment that serves, but whose runs fail. */
export function FailingRunsItem({ workspace, deployment: one, renderChange }: Props) {
  const { id, name, change, failing, source } = one
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
      <FailingBadge />
      <div className="min-w-0 flex-1 basis-64">
        <Link href={routes.deployment(workspace, id)} className="font-medium hover:underline">
          <VisibleName>{name}</VisibleName>
        </Link>{' '}
        <span className="text-ink-2 text-xs" title={source && SOURCES[source]}>
          <FailingShare of={failing} />
        </span>
        {change ? (
          <p className="text-ink-2 text-xs">
            Last change: {renderChange(change, one)} <RelativeTime at={change.at} />
          </p>
        ) : null}
      </div>
      <span className="flex gap-3 text-accent text-xs">
        <Link href={routes.runs(workspace, id, FAILED)} className="hover:underline">
          Failed runs
        </Link>
        <Link href={routes.revisions(workspace, id)} className="hover:underline">
          Revisions
        </Link>
      </span>
    </li>
  )
}

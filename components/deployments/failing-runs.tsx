'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { type FailingRuns, failingRuns, type RunActivity } from '@/lib/contracts/activity'
import type { RecentChange } from '@/lib/contracts/audit/audit-row'
import { count, shortId } from '@/lib/format/format'
import { activityQuery, deploymentsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { SOURCES } from './activity/cells'

const FAILED = { status: 'failed', since: '24h' }
/** As many as one request tells the activity of. */
const NEWEST = 50
const REFRESH_MS = 30_000

export type FailingDeployment = {
  id: string
  name: string
  change: RecentChange | null
  failing: FailingRuns
  source: RunActivity['source']
}

/** The deployments whose runs fail now, of those with the newest failed runs. Read again every 30 s. */
export function useFailingRuns(workspace: string): FailingDeployment[] {
  const failed = useQuery({ ...runRowsQuery(workspace, { ...FAILED, limit: NEWEST }), refetchInterval: REFRESH_MS })
  const deployments = useQuery(deploymentsQuery(workspace, { limit: 100 })).data?.resources
  const ids = [...new Set(failed.data?.rows.map(({ deployment }) => deployment))].sort()
  const { data, dataUpdatedAt } = useQuery(activityQuery(workspace, ids))
  return ids.flatMap((id) => {
    const activity = data?.[id]
    const failing = failingRuns(activity?.runs?.hours ?? null, dataUpdatedAt)
    if (!failing || !activity?.runs) return []
    const name = deployments?.find((one) => one.id === id)?.name ?? shortId(id)
    return [{ id, name, change: activity.change, failing, source: activity.runs.source }]
  })
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

type Props = {
  workspace: string
  deployment: FailingDeployment
  renderChange: (change: RecentChange, deployment: { id: string; name: string }) => ReactNode
}

/** A deployment that serves, but whose runs fail. */
export function FailingRunsItem({ workspace, deployment: one, renderChange }: Props) {
  const { id, name, change, failing, source } = one
  const { since, runs, failed } = failing
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
      <StatusBadge tone="error">Runs fail</StatusBadge>
      <div className="min-w-0 flex-1 basis-64">
        <Link href={routes.deployment(workspace, id)} className="font-medium hover:underline">
          <VisibleName>{name}</VisibleName>
        </Link>{' '}
        <span className="text-ink-2 text-xs" title={SOURCES[source]}>
          {Math.round((100 * failed) / runs)}% of {count(runs)} runs failed since <Since at={since} />
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

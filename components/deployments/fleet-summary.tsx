'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { Panel } from '@/components/shared/layout/panel'
import { useLiveQuery, useLiveValue } from '@/components/shared/layout/use-live-query'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName, VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import type { FailureCause, RecentChange } from '@/lib/contracts/audit/audit-row'
import {
  type DeploymentRow,
  type FleetHealth,
  MOST_COUNTED,
  rowHealth,
} from '@/lib/contracts/deployments/deployment-row'
import { count } from '@/lib/format/format'
import { failureCausesQuery } from '@/lib/queries/audit'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import type { InboxBrief } from '@/lib/stream/inbox'
import { type FailingDeployment, FailingRunsItem, UnknownRuns, useFailingRuns } from './failing-runs'
import { HealthDetail } from './health-badge'
import { HealthPending, HealthStrip } from './health-strip'
import { LongRuns } from './long-runs'

/** The failing deployments that Home lists. */
export const FAILING = { health: 'failing', limit: 8, offset: 0 } as const

type Props = {
  workspace: string
  /** Shows a change to a deployment in a sentence. */
  renderChange: (change: RecentChange, deployment: Pick<DeploymentRow, 'id' | 'name'>) => ReactNode
}

/**
 * How many deployments are healthy and failing, live, and what needs attention: failing deployments with the error
 * and what changed before, deployments whose runs fail, and threads that wait for a person.
 */
export function FleetSummary({ workspace, renderChange }: Props) {
  const options = deploymentRowsQuery(workspace, FAILING)
  const { problem, refetchInterval } = useLiveQuery(
    { kind: 'deployments', workspace, query: FAILING },
    options.queryKey,
  )
  const result = useQuery({ ...options, refetchInterval })
  const retry = useTryAgain(options.queryKey)
  const router = useRouter()
  const { data } = result
  const { failing: read, coverage, gap } = useFailingRuns(workspace)
  // The list of rows and that of failed runs are read at different moments.
  const rows = data?.rows.filter((row) => !rowHealth(row).failing) ?? []
  const failing = [...read, ...failingRows(data?.rows ?? [], read)]
  const failed = rows.flatMap(({ id, latest }) => (latest ? [`${id}.${latest.id}`] : []))
  const causes = useQuery(failureCausesQuery(workspace, failed)).data
  const error = result.error ?? result.failureReason
  const stale = staleOf({ ...result, error }, problem)
  if (!data && (error || problem))
    return <ErrorNotice error={error?.view ?? problem ?? { message: '' }} onRetry={retry} />
  const style = stale && STALE_STYLE
  return (
    <>
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      {data?.health ? (
        <HealthStrip
          health={data.health}
          chosen={null}
          onChoose={(health) => router.push(routes.deployments(workspace, { health }))}
          className={style}
        />
      ) : (
        <HealthPending />
      )}
      <Panel
        title="Needs attention"
        action={
          data?.hasNext ? <Link href={routes.deployments(workspace, { health: 'failing' })}>All failing</Link> : null
        }
      >
        {data ? (
          <ul className={cn('flex flex-col divide-y', style)}>
            {rows.map((row) => (
              <Failing
                key={row.id}
                workspace={workspace}
                row={row}
                cause={causes?.[row.id]}
                renderChange={renderChange}
              />
            ))}
            {failing.map((one) => (
              <FailingRunsItem key={one.id} workspace={workspace} deployment={one} renderChange={renderChange} />
            ))}
            <LongRuns workspace={workspace} />
            <Waiting workspace={workspace} />
            {gap ? <UnknownRuns workspace={workspace} gap={gap} /> : null}
            {rows.length === 0 && failing.length === 0 ? (
              <li className="py-1 text-ink-2">
                {data.health && coverage !== 'loading' ? noneFailing(data.health, coverage === 'whole') : <Loading />}
              </li>
            ) : null}
          </ul>
        ) : (
          <Loading />
        )}
      </Panel>
    </>
  )
}

/** Rows whose runs fail and that `read` has not yet. */
const failingRows = (rows: readonly DeploymentRow[], read: readonly FailingDeployment[]): FailingDeployment[] =>
  rows.flatMap((row) => {
    const { failing } = rowHealth(row)
    if (!failing || read.some(({ id }) => id === row.id)) return []
    return [{ id: row.id, name: row.name, change: null, failing, source: undefined }]
  })

const Loading = () => (
  <>
    <Skeleton className="w-2/3" />
    <LateNotice />
  </>
)

/** No more than is known: not all deployments may have been counted, or have told their state, and not all runs read. */
export function noneFailing({ counts, isCut }: FleetHealth, areRunsKnown: boolean): string {
  if (isCut) return `None of the first ${count(MOST_COUNTED)} deployments is known to fail.`
  return counts.unknown > 0 || !areRunsKnown ? 'No deployment is known to fail.' : 'No deployment is failing.'
}

/** When the latest revision took its status, such as when it failed; else when it was created. */
function LatestTime({ of: latest }: { of: DeploymentRow['latest'] }) {
  if (latest?.since) return <RelativeTime at={latest.since} />
  return latest?.at ? (
    <>
      Created <RelativeTime at={latest.at} />
    </>
  ) : null
}

type FailingProps = Props & { row: DeploymentRow; cause: FailureCause | undefined }

function Failing({ workspace, row, cause, renderChange }: FailingProps) {
  const health = rowHealth(row)
  const { level, label } = health
  const { id, name, latest } = row
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
      <StatusBadge tone={level}>{label}</StatusBadge>
      <div className="min-w-0 flex-1 basis-64">
        <Link href={routes.deployment(workspace, id)} className="font-medium hover:underline">
          <VisibleName>{name}</VisibleName>
        </Link>{' '}
        <span className="text-ink-2 text-xs">
          <HealthDetail health={health} /> <LatestTime of={latest} />
        </span>
        {cause?.error ? <p className="line-clamp-2 break-words font-mono text-xs">{cause.error}</p> : null}
        {cause?.commit ? (
          <p className="text-ink-2 text-xs">
            Commit <code className="font-mono">{cause.commit.sha.slice(0, 7)}</code>{' '}
            <VisibleText>{[cause.commit.subject, cause.commit.author].filter(Boolean).join(', ')}</VisibleText>
          </p>
        ) : null}
        {cause?.change ? (
          <p className="text-ink-2 text-xs">
            Last change before it: {renderChange(cause.change, row)} <RelativeTime at={cause.change.at} />
          </p>
        ) : null}
      </div>
      <span className="flex gap-3 text-accent text-xs">
        {latest ? (
          <Link href={routes.revision(workspace, id, latest.id)} className="hover:underline">
            Log
          </Link>
        ) : null}
        <Link href={routes.revisions(workspace, id, { do: 'redeploy' })} className="hover:underline">
          Redeploy…
        </Link>
        {/* A revision that failed before it served leaves nothing to roll back. */}
        {row.active && row.active.id === latest?.id ? (
          <Link href={routes.revisions(workspace, id, { do: 'rollBack' })} className="hover:underline">
            Roll back…
          </Link>
        ) : null}
      </span>
    </li>
  )
}

function Waiting({ workspace }: { workspace: string }) {
  // Our own server sends an `InboxBrief`; the live channel types values as `unknown`.
  const brief = useLiveValue({ kind: 'inbox', isBrief: true, workspace }) as InboxBrief | undefined
  if (!brief) return null
  const { threads, unread, isCut, oldest } = brief
  const notRead = unread > 0 ? <UnreadThreads workspace={workspace} {...brief} /> : null
  if (threads === 0) return notRead
  return (
    <>
      <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
        <StatusBadge tone="warn">Needs input</StatusBadge>
        <span className="min-w-0 flex-1 basis-64">
          {count(threads)}
          {isCut || unread > 0 ? ' or more' : ''} {threads === 1 ? 'thread needs' : 'threads need'} input
          {oldest ? (
            <span className="text-ink-2 text-xs">
              , the oldest asked <RelativeTime at={oldest} />
            </span>
          ) : null}
        </span>
        <Link href={routes.inbox(workspace)} className="text-accent text-xs hover:underline">
          Inbox
        </Link>
      </li>
      {notRead}
    </>
  )
}

type UnreadProps = { workspace: string } & Pick<InboxBrief, 'unread' | 'unreadName'>

/** Not all threads that may wait could be read. */
const UnreadThreads = ({ workspace, unread, unreadName }: UnreadProps) => (
  <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
    <StatusBadge tone="warn">Unknown</StatusBadge>
    <span className="min-w-0 flex-1 basis-64">
      Threads of <VisibleName>{unreadName ?? '1 deployment'}</VisibleName>
      {unread > 1 ? ` and ${count(unread - 1)} more` : ''} could not be read
    </span>
    <Link href={routes.inbox(workspace)} className="text-accent text-xs hover:underline">
      Inbox
    </Link>
  </li>
)

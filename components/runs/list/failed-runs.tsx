'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { Panel } from '@/components/shared/layout/panel'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import { askServersAgain } from '@/lib/actions/deployments'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format/format'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { rowStatus } from '@/lib/stream/run-status'
import { CoverageNote, UnreadServers } from './coverage-note'

const SINCE = { status: 'failed', since: '24h' }
/** The failed runs that Home lists. */
export const FAILED = { ...SINCE, limit: 5 }

/** The newest failed runs of the last 24 hours in the whole workspace, live. */
export function FailedRuns({ workspace }: { workspace: string }) {
  const options = runRowsQuery(workspace, FAILED)
  const { problem, refetchInterval } = useLiveQuery({ kind: 'runs', workspace, query: FAILED }, options.queryKey)
  const result = useQuery({ ...options, refetchInterval })
  const deployments = useQuery(deploymentsQuery(workspace, { limit: 100 })).data?.resources
  const retry = useTryAgain(options.queryKey)
  const askAgain = () => void askServersAgain({ workspace }).then(retry, retry)
  const { data } = result
  const error = result.error ?? result.failureReason
  const stale = staleOf({ ...result, error }, problem)
  const nameOf = (id: string) => deployments?.find((one) => one.id === id)?.name ?? shortId(id)
  return (
    <Panel
      title="Failed runs, last 24 hours"
      action={<Link href={routes.allRuns(workspace, SINCE)}>All failed runs</Link>}
    >
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      {!data ? (
        error ? (
          <ErrorNotice error={error.view} onRetry={retry} />
        ) : (
          <>
            <Skeleton className="w-2/3" />
            <LateNotice />
          </>
        )
      ) : (
        <>
          {data.rows.length > 0 ? (
            <ul className={stale && STALE_STYLE}>
              {data.rows.map((row) => (
                <li key={row.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
                  <StatusBadge tone={rowStatus(row.status).tone}>{rowStatus(row.status).label}</StatusBadge>
                  <Link
                    href={routes.run(workspace, row)}
                    className="inline-flex min-w-0 flex-wrap gap-x-3 hover:underline"
                  >
                    <span className="font-medium">
                      <VisibleName>{nameOf(row.deployment)}</VisibleName>
                    </span>{' '}
                    {row.error || row.input ? (
                      <span className={cn('min-w-0 max-w-96 truncate', row.error && 'text-error')}>
                        <VisibleName>{row.error ?? row.input ?? ''}</VisibleName>
                      </span>
                    ) : (
                      <span className="font-mono text-ink-2 text-xs">{shortId(row.run ?? row.id)}</span>
                    )}
                  </Link>
                  <span className="text-ink-2 text-xs">
                    <RelativeTime at={row.startedAt} /> by {row.startedBy}
                  </span>
                </li>
              ))}
            </ul>
          ) : data.looked?.isPending || data.looked?.problems.length ? null : (
            <p className="text-ink-2">No failed runs.</p>
          )}
          {data.looked ? (
            <>
              <CoverageNote looked={data.looked} />
              <UnreadServers looked={data.looked} nameOf={nameOf} onRetry={askAgain} isReasonAbove className="mt-2" />
            </>
          ) : null}
        </>
      )}
    </Panel>
  )
}

'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { Panel } from '@/components/shared/layout/panel'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import { type DeploymentRow, rowHealth } from '@/lib/contracts/deployments/deployment-row'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { HealthStrip } from './health-strip'

/** The failing deployments that Home lists. */
export const FAILING = { health: 'failing', limit: 8, offset: 0 } as const

/** How many deployments are healthy and failing, live, and the failing ones with what failed. */
export function FleetSummary({ workspace }: { workspace: string }) {
  const options = deploymentRowsQuery(workspace, FAILING)
  const { problem, refetchInterval } = useLiveQuery(
    { kind: 'deployments', workspace, query: FAILING },
    options.queryKey,
  )
  const result = useQuery({ ...options, refetchInterval })
  const retry = useTryAgain(options.queryKey)
  const router = useRouter()
  const { data } = result
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
        <div className="mb-3">
          <Skeleton className="h-8 w-96 max-w-full" />
          <LateNotice />
        </div>
      )}
      <Panel
        title="Failing deployments"
        action={data?.hasNext ? <Link href={routes.deployments(workspace, { health: 'failing' })}>All</Link> : null}
      >
        {!data ? (
          <>
            <Skeleton className="w-2/3" />
            <LateNotice />
          </>
        ) : data.rows.length === 0 ? (
          <p className="text-ink-2">No deployment is failing.</p>
        ) : (
          <ul className={cn('flex flex-col divide-y', style)}>
            {data.rows.map((row) => (
              <Failing key={row.id} workspace={workspace} row={row} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  )
}

function Failing({ workspace, row }: { workspace: string; row: DeploymentRow }) {
  const { level, label, detail } = rowHealth(row)
  const { id, name, latest } = row
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
      <StatusBadge tone={level}>{label}</StatusBadge>
      <Link href={routes.deployment(workspace, id)} className="min-w-0 truncate font-medium hover:underline">
        <VisibleName>{name}</VisibleName>
      </Link>
      <span className="min-w-0 flex-1 basis-64 text-ink-2 text-xs">
        {detail} {latest?.at ? <RelativeTime at={latest.at} /> : null}
      </span>
      <span className="flex gap-3 text-accent text-xs">
        {latest ? (
          <Link href={routes.revision(workspace, id, latest.id)} className="hover:underline">
            Log
          </Link>
        ) : null}
        <Link href={routes.revisions(workspace, id)} className="hover:underline">
          Revisions
        </Link>
      </span>
    </li>
  )
}

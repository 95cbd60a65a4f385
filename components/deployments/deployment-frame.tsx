'use client'
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { LoopbackMark } from '@/components/shared/feedback/loopback-notice'
import { Notice } from '@/components/shared/feedback/notice'
import { BelowNotice, STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { FavouriteStar } from '@/components/shared/layout/favourites'
import { usePlaceTitle } from '@/components/shared/layout/page-title'
import { useOpened } from '@/components/shared/layout/recent'
import { useReasons } from '@/components/shared/layout/rights'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { IdChip } from '@/components/shared/text/id-chip'
import { VisibleName } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Skeleton } from '@/components/ui/loading'
import { showTab, tabListStyle, tabStyle } from '@/components/ui/styles'
import { cn } from '@/lib/cn'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { deploymentQuery } from '@/lib/queries/deployments'
import { deploymentParts, routes, TAB_COUNT } from '@/lib/routes'
import { HealthBadge } from './health-badge'
import { MoreTabs } from './more-tabs'

const NoServer = dynamic(() => import('./no-server').then((module) => module.NoServer))

type DeploymentFrameProps = { workspace: string; deploymentId: string; children: ReactNode }

/** Sections whose records have a header of their own, and pages there that are none. */
const RECORDS = ['runs', 'traces']
const PAGES = ['new', 'join', 'compare', 'of-run']

/** Sections that show what the agent server says. */
const OF_SERVER = ['chat', 'threads', 'assistants', 'crons', 'store', 'mcp', 'a2a', 'system']

/** For screen readers only on small screens. */
const FOLDED = 'max-sm:h-0 max-sm:[&>:not(h1)]:hidden max-sm:[&>h1]:sr-only'

/** The header and tabs of every page of a deployment. */
export function DeploymentFrame({ workspace, deploymentId, children }: DeploymentFrameProps) {
  const options = deploymentQuery(workspace, deploymentId)
  const { problem, refetchInterval } = useLiveQuery(
    { kind: 'deployment', workspace, deployment: deploymentId },
    options.queryKey,
  )
  const query = useQuery({ ...options, refetchInterval })
  const { data } = query
  const retry = useTryAgain(options.queryKey)
  useOpened(routes.deployment(workspace, deploymentId), 'Deployment', data?.name)
  usePlaceTitle(data?.name)
  // The first failure is shown during retries, because a hanging server takes minutes to fail for good.
  const error = query.error ?? query.failureReason
  const stale = staleOf({ ...query, error }, problem)
  const isGone = !data && error?.code === 'not_found'
  const isServed = !data || hasServer(data)
  const reason = useReasons().run ?? (isServed ? undefined : 'No revision of this deployment has been deployed yet.')
  const path = usePathname()
  const overview = routes.deployment(workspace, deploymentId)
  const runs: string = routes.runs(workspace, deploymentId)
  const revisions: string = routes.revisions(workspace, deploymentId)
  const tabs = deploymentParts(workspace, deploymentId)
    .filter(({ href }) => !isGone || href === runs)
    .map(({ label, href }) => ({
      label,
      href,
      isCurrent: href === overview ? path === href : path === href || path.startsWith(`${href}/`),
    }))
  // A server that was added by its address has nothing like revisions.
  const shown = tabs.slice(0, TAB_COUNT).filter(({ href }) => data?.source !== 'external' || href !== revisions)
  const belowRuns = path.startsWith(runs) ? path.slice(runs.length) : undefined
  // Recordings are shown even if the server is down; other pages would only repeat its error.
  const isRecorded = belowRuns !== undefined && belowRuns !== '/new' && belowRuns !== '/join'
  const url = path === overview ? data?.source_config?.custom_url : undefined
  // A record's own header takes the place of the deployment's, and a conversation fills the page.
  const below = path.slice(overview.length).split('/').filter(Boolean)
  const isRecord = RECORDS.includes(below[0] ?? '') && below.length === 2 && !PAGES.includes(below[1] ?? '')
  const isFull = below[0] === 'chat' || (below[0] === 'threads' && below.length === 2)
  const isRunForm = path.endsWith('/runs/new')
  const lacksServer = !isServed && (isRunForm || OF_SERVER.includes(below[0] ?? ''))
  return (
    <div className="-mt-5 flex min-h-0 flex-1 flex-col">
      {isRecord ? null : (
        // On small screens the path names the deployment, and the conversation has the room.
        <header className={cn('flex h-12 shrink-0 items-center gap-3', isFull && data && FOLDED)}>
          <h1 className="min-w-0 truncate font-semibold text-base">
            {data ? <VisibleName>{data.name}</VisibleName> : error ? 'Deployment' : <Skeleton className="w-48" />}
          </h1>
          {data ? (
            <>
              <span className={cn('shrink-0', stale && STALE_STYLE)} title={stale && 'This may have changed.'}>
                <HealthBadge workspace={workspace} deployment={data} />
              </span>
              {url ? (
                <span className="inline-flex min-w-0 items-center gap-1 text-ink-2 text-xs max-md:hidden">
                  <VisibleName className="truncate font-mono">{url}</VisibleName>
                  <CopyButton value={url} what="deployment URL" />
                  <LoopbackMark url={url} />
                </span>
              ) : null}
              <IdChip id={data.id} what="deployment id" className="max-sm:hidden" />
              <FavouriteStar id={data.id} name={data.name} />
            </>
          ) : error ? null : (
            <LateNotice />
          )}
          <span className="ml-auto shrink-0">
            {isRunForm || (error && !data) ? null : reason ? (
              <Button size="sm" variant="primary" reason={reason}>
                <Play aria-hidden />
                Start a run
              </Button>
            ) : (
              <Button asChild size="sm" variant="primary">
                <Link prefetch={false} href={routes.newRun(workspace, deploymentId)}>
                  <Play aria-hidden />
                  Start a run
                </Link>
              </Button>
            )}
          </span>
        </header>
      )}
      <nav aria-label="Deployment sections" className={cn('shrink-0', tabListStyle)}>
        {shown.map(({ label, href, isCurrent }) => (
          <Link
            prefetch={false}
            key={label}
            ref={isCurrent ? showTab : undefined}
            href={href}
            aria-current={isCurrent ? 'page' : undefined}
            className={tabStyle}
          >
            {label}
          </Link>
        ))}
        {tabs.length > TAB_COUNT ? <MoreTabs parts={tabs.slice(TAB_COUNT)} /> : null}
      </nav>
      <div className={cn('flex min-h-0 flex-1 flex-col', isFull ? '' : isRecord ? 'pt-1' : 'pt-4')}>
        {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
        {isGone ? (
          <div className="mb-4">
            <Notice tone="warn">This deployment no longer exists. Recordings of its runs are kept.</Notice>
          </div>
        ) : error && !data ? (
          <ErrorNotice error={error.view} onRetry={retry} className="mb-4" />
        ) : null}
        {error && !data && !isRecorded ? null : (
          <BelowNotice stale={stale}>
            {lacksServer ? <NoServer workspace={workspace} deployment={data} /> : children}
          </BelowNotice>
        )}
      </div>
    </div>
  )
}

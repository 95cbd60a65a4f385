'use client'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import Link from 'next/link'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { RevisionStatus } from '@/components/shared/feedback/revision-status'
import { BelowNotice, STALE_STYLE, StaleNotice, staleOf, useIsStale } from '@/components/shared/feedback/stale-notice'
import { usePageTitle } from '@/components/shared/layout/page-title'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { IdChip } from '@/components/shared/text/id-chip'
import { Badge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import type { Change } from '@/lib/contracts/deployments/changes'
import { awaitedOf, isRevisionInProgress, isRevisionTerminal } from '@/lib/contracts/wire/state'
import { shortId } from '@/lib/format/format'
import { deploymentQuery } from '@/lib/queries/deployments'
import { revisionQuery, revisionsQuery } from '@/lib/queries/revisions'
import { routes } from '@/lib/routes'
import { COMPARABLE } from './common/list-query'
import { rollOutOf } from './common/roll-out'
import { RevisionFacts } from './revision-facts'
import { RevisionLogs } from './revision-logs'
import { rowsOf } from './revision-rows'
import { RevisionVerbs } from './revision-verbs'
import { StageStepper } from './stage-stepper'
import { stagesOf } from './stages'
import { useSeen } from './use-seen'

type Props = { workspace: string; deploymentId: string; revisionId: string; changes: Change[] }

/** Statuses at the start of a roll-out. A revision that returns to one is being redeployed. */
const isBeginning = (status: string) => status === 'CREATING' || status === 'QUEUED'

/** One revision: stages, facts, actions and live logs. */
export function RevisionPage({ workspace, deploymentId, revisionId, changes }: Props) {
  const options = revisionQuery(workspace, deploymentId, revisionId)
  const place = { workspace, deployment: deploymentId }
  const { problem, refetchInterval } = useLiveQuery(
    { kind: 'revision', ...place, revision: revisionId },
    options.queryKey,
  )
  const query = useQuery({ ...options, refetchInterval })
  const { data: revision } = query
  usePageTitle(`Revision ${shortId(revisionId)}`)
  const error = query.error ?? query.failureReason
  const { data: deployment } = useQuery(deploymentQuery(workspace, deploymentId))
  // The neighbours are needed for durations. Without a list, those are unknown.
  const around = useQuery({ ...revisionsQuery(workspace, deploymentId, COMPARABLE), staleTime: 30_000 }).data?.resources
  const seen = useSeen(revision?.status, isBeginning)
  const retry = useTryAgain(options.queryKey)
  const isBelow = useIsStale()
  if (!revision)
    return error ? (
      <ErrorNotice error={error.view} onRetry={retry} />
    ) : (
      <div role="status" aria-label="Loading" className="flex flex-col gap-4">
        <Skeleton className="h-8 w-64" />
        <div className="h-12 rounded-lg border bg-panel" />
        <LateNotice />
        <div className="h-96 rounded-lg border bg-panel" />
      </div>
    )
  const stale = staleOf({ ...query, error }, problem)
  const listed = around?.some(({ id }) => id === revision.id)
    ? around.map((one) => (one.id === revision.id ? revision : one))
    : [revision]
  const [row] = rowsOf({
    revisions: listed,
    deployment,
    changes,
    isWhole: listed.length > 1 || listed.length === around?.length,
    // A revision outside the list has no known neighbours.
    pageSize: around && listed.length === around.length ? COMPARABLE.limit : 0,
    query: {},
  }).filter((one) => one.revision.id === revision.id)
  const isKnown = isRevisionInProgress(revision.status) || isRevisionTerminal(revision.status)
  const hasBuild = revision.source !== 'external_docker' && revision.source !== 'internal_docker'
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Link
          href={routes.revisions(workspace, deploymentId)}
          className="mb-2 inline-flex items-center gap-1 text-ink-2 text-xs hover:text-ink"
        >
          <ChevronLeft aria-hidden className="size-3.5" />
          All revisions
        </Link>
        <SectionHeader
          title="Revision"
          meta={
            <>
              <IdChip id={revision.id} what="revision id" />
              <span
                className={cn('inline-flex flex-wrap items-center gap-x-4 gap-y-1', (stale || isBelow) && STALE_STYLE)}
              >
                <RevisionStatus status={revision.status} listener={deployment?.listener} />
                {row?.isActive ? <Badge className="border-ok/40 bg-ok-soft text-ok">active</Badge> : null}
                {row?.isLatest && !row.isActive ? <Badge>latest</Badge> : null}
              </span>
            </>
          }
          actions={deployment ? <RevisionVerbs {...{ workspace, deployment, revision, changes }} /> : null}
        />
        {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
        <StageStepper
          stages={stagesOf({ status: revision.status, source: revision.source, seen, rollOut: rollOutOf(revision) })}
          isKnown={isKnown}
          awaited={awaitedOf(revision.status, deployment?.listener)}
          listenerHref={routes.listeners(workspace, { listener: deployment?.source_config.listener_id ?? '' })}
        />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          <RevisionLogs
            workspace={workspace}
            deploymentId={deploymentId}
            revision={revision.id}
            status={revision.status}
            hasBuild={hasBuild}
          />
        </div>
        <BelowNotice stale={stale}>{row ? <RevisionFacts {...row} changes={changes} /> : null}</BelowNotice>
      </div>
    </div>
  )
}

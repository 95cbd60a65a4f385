'use client'
import { useQuery } from '@tanstack/react-query'
import { StaleNotice } from '@/components/shared/stale-notice'
import { deploymentQuery } from '@/lib/queries/deployments'
import { revisionsQuery } from '@/lib/queries/revisions'
import { type Offered, OverviewAssistants, OverviewCapabilities, overviewAssistants } from './overview-agent'
import { OverviewFacts } from './overview-facts'
import { OVERVIEW_REVISIONS } from './overview-query'
import { OverviewRevisions } from './overview-revisions'
import { OverviewRuns, type RecentRuns } from './overview-runs'
import { OverviewUse } from './overview-use'
import { RevisionList } from './revision-list'
import { useLiveDeployment } from './use-live'

type Props = {
  workspace: string
  deploymentId: string
  recent: RecentRuns
  /** What the agent server offers; it is asked while the page is shown already, and may be down. */
  offered: Promise<Offered | null>
}

/** Each part asks for itself: what is down takes only its own part away. */
export function DeploymentOverview({ workspace, deploymentId, recent, offered }: Props) {
  const place = { workspace, deploymentId }
  const { problem, refetchInterval } = useLiveDeployment(workspace, deploymentId, OVERVIEW_REVISIONS)
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    ...deploymentQuery(workspace, deploymentId),
    refetchInterval,
  })
  const revisions = useQuery(revisionsQuery(workspace, deploymentId, OVERVIEW_REVISIONS))
  const assistants = useQuery(overviewAssistants(place))
  // Its failure to load at all, or again, is the frame's to say.
  const isStale = problem !== undefined && data !== undefined && !error
  const active = data?.active_revision_id ?? null
  return (
    <>
      {isStale ? <StaleNotice message={problem} at={dataUpdatedAt} onRetry={() => void refetch()} /> : null}
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="@container flex min-w-0 flex-col gap-4">
          {data ? (
            <OverviewRevisions
              {...place}
              deployment={data}
              // A server without a list has its revisions all the same, one by one.
              revisions={revisions.data?.resources ?? (revisions.error ? [] : undefined)}
            />
          ) : error ? null : (
            <div aria-hidden className="h-28 rounded-lg border bg-panel" />
          )}
          <OverviewRuns {...place} initial={recent} active={active} />
          {data ? (
            <OverviewUse
              url={data.source_config.custom_url}
              graph={assistants.data?.[0]?.graph_id}
              isOpen={data.source === 'external'}
            />
          ) : null}
          <RevisionList {...place} active={active} refetchInterval={refetchInterval} />
        </div>
        <aside aria-label="About this deployment" className="flex min-w-0 flex-col gap-4">
          <OverviewAssistants {...place} />
          <OverviewCapabilities {...place} offered={offered} />
          {data ? (
            <OverviewFacts workspace={workspace} deployment={data} />
          ) : error ? null : (
            <div aria-hidden className="h-96 rounded-lg border bg-panel" />
          )}
        </aside>
      </div>
    </>
  )
}

'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { Panel } from '@/components/shared/layout/panel'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { deploymentQuery, OVERVIEW_REVISIONS } from '@/lib/queries/deployments'
import { revisionQuery, revisionsQuery } from '@/lib/queries/revisions'
import { type Offered, OverviewAssistants, OverviewCapabilities, overviewAssistants } from './overview-agent'
import { OverviewFacts } from './overview-facts'
import { OverviewFailure } from './overview-failure'
import { OverviewRevisions } from './overview-revisions'
import { OverviewRuns } from './overview-runs'
import { OverviewStatus } from './overview-status'
import { OverviewUse } from './overview-use'
import { RevisionList } from './revision-list'

type Props = {
  workspace: string
  deploymentId: string
  /** The agent server's assistants and features. Arrives after the first render, and may be null if the server is down. */
  offered: Promise<Offered>
  /** Features cannot import each other, so the page hands over the charts. */
  charts: ReactNode
}

/** Each part loads separately, so that a failing upstream removes only its own part. */
export function DeploymentOverview({ workspace, deploymentId, offered, charts }: Props) {
  const place = { workspace, deploymentId }
  const options = deploymentQuery(workspace, deploymentId)
  // The frame keeps it up to date and shows its errors.
  const { data, error } = useQuery(options)
  const { revisions, refetchInterval } = useOverviewRevisions(place)
  const active = data?.active_revision_id ?? null
  const isEmpty = data !== undefined && !hasServer(data)
  const assistants = useQuery({ ...overviewAssistants(place), enabled: !isEmpty })
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="@container flex min-w-0 flex-col gap-4">
        {data ? (
          <>
            <OverviewFailure
              workspace={workspace}
              deployment={data}
              latest={revisions.data?.resources.find(({ id }) => id === data.latest_revision_id)}
            />
            <OverviewStatus workspace={workspace} deployment={data} revisions={revisions.data?.resources} />
          </>
        ) : null}
        {isEmpty ? null : charts}
        {data ? (
          <OverviewRevisions
            {...place}
            deployment={data}
            // A server without a list can still return single revisions.
            revisions={revisions.data?.resources ?? (revisions.error ? [] : undefined)}
          />
        ) : error ? null : (
          <div aria-hidden className="h-28 rounded-lg border bg-panel" />
        )}
        {isEmpty ? (
          <Panel title="No agent server yet">
            <p className="text-ink-2">
              {data.source === 'internal_source' && data.latest_revision_id === null
                ? 'The first upload of its source creates a revision.'
                : 'It starts when the first revision is rolled out.'}
            </p>
          </Panel>
        ) : (
          <OverviewRuns {...place} active={active} isUnheard={Boolean(data?.listener?.away)} />
        )}
        {data && !isEmpty ? (
          <OverviewUse
            url={data.source_config.custom_url}
            graph={assistants.data?.[0]?.graph_id}
            isOpen={data.source === 'external'}
            offered={offered}
          />
        ) : null}
        {data?.source === 'external' ? null : (
          <RevisionList {...place} active={active} listener={data?.listener} refetchInterval={refetchInterval} />
        )}
      </div>
      <aside aria-label="About this deployment" className="flex min-w-0 flex-col gap-4">
        {isEmpty ? null : (
          <>
            <OverviewAssistants {...place} />
            <OverviewCapabilities {...place} offered={offered} />
          </>
        )}
        {data ? (
          <OverviewFacts workspace={workspace} deployment={data} />
        ) : error ? null : (
          <div aria-hidden className="h-96 rounded-lg border bg-panel" />
        )}
      </aside>
    </div>
  )
}

/**
 * The newest revisions, live. Also updates the cached latest revision, so that the health badge in the header stays in
 * step.
 */
function useOverviewRevisions({ workspace, deploymentId }: Pick<Props, 'workspace' | 'deploymentId'>) {
  const client = useQueryClient()
  const options = revisionsQuery(workspace, deploymentId, OVERVIEW_REVISIONS)
  const { refetchInterval } = useLiveQuery(
    { kind: 'revisions', workspace, deployment: deploymentId, query: OVERVIEW_REVISIONS },
    options.queryKey,
  )
  const revisions = useQuery(options)
  const { data, dataUpdatedAt } = revisions
  useEffect(() => {
    for (const revision of data?.resources ?? [])
      client.setQueryData(revisionQuery(workspace, deploymentId, revision.id).queryKey, revision, {
        updatedAt: dataUpdatedAt,
      })
  }, [client, workspace, deploymentId, data, dataUpdatedAt])
  return { revisions, refetchInterval }
}

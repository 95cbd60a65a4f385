'use client'
import { useQuery } from '@tanstack/react-query'
import type { Route } from 'next'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { RevisionStatus } from '@/components/shared/feedback/revision-status'
import { IdChip } from '@/components/shared/text/id-chip'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Badge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { shortId } from '@/lib/format/format'
import { OVERVIEW_REVISIONS } from '@/lib/queries/deployments'
import { revisionsQuery } from '@/lib/queries/revisions'
import { routes } from '@/lib/routes'

type RevisionListProps = {
  workspace: string
  deploymentId: string
  active: string | null
  listener: Deployment['listener']
  refetchInterval: number | false
}

/** The newest revisions of a deployment, newest first, updated live. */
export function RevisionList({ workspace, deploymentId, active, listener, refetchInterval }: RevisionListProps) {
  const { data, error, refetch } = useQuery({
    ...revisionsQuery(workspace, deploymentId, OVERVIEW_REVISIONS),
    refetchInterval,
  })
  return (
    <section aria-labelledby="revisions" className="min-w-0">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 id="revisions" className="font-semibold text-base">
          Revisions
        </h2>
        <Link href={routes.revisions(workspace, deploymentId)} className="text-accent text-xs hover:underline">
          All revisions
        </Link>
      </div>
      {error && !data ? (
        <ErrorNotice error={error.view} onRetry={() => void refetch()} />
      ) : data?.resources.length === 0 ? (
        <div className="rounded-lg border bg-panel">
          {data.unread.length > 0 ? (
            <EmptyState title="No readable revisions">The server sent them in an unknown form.</EmptyState>
          ) : (
            <EmptyState title="No revisions">The server lists no revisions of this deployment.</EmptyState>
          )}
        </div>
      ) : (
        <ol aria-busy={!data || undefined} className="@container overflow-hidden rounded-lg border bg-panel">
          {data
            ? data.resources.map((revision) => (
                <RevisionRow
                  key={revision.id}
                  revision={revision}
                  href={routes.revision(workspace, deploymentId, revision.id)}
                  isActive={revision.id === active}
                  listener={listener}
                />
              ))
            : ['a', 'b', 'c'].map((key) => (
                <li key={key} className="flex h-14 items-center gap-4 border-b px-4 last:border-b-0">
                  <Skeleton className="w-24" />
                  <Skeleton className="w-40" />
                </li>
              ))}
        </ol>
      )}
      {data || error ? null : <LateNotice />}
    </section>
  )
}

type RowProps = { revision: Revision; href: Route; isActive: boolean; listener: Deployment['listener'] }

function RevisionRow({ revision, href, isActive, listener }: RowProps) {
  const { source_revision_config: source } = revision
  const version = source?.repo_commit_sha ? shortId(source.repo_commit_sha) : source?.image_uri
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2.5 last:border-b-0">
      <div className="min-w-0 flex-1 @xl:min-w-36 @xl:flex-none">
        <Link href={href} className="hover:underline">
          <RevisionStatus status={revision.status} listener={listener} />
        </Link>
      </div>
      <div className="order-last flex min-w-0 basis-full items-center gap-2 @xl:order-none @xl:flex-1 @xl:basis-0">
        {version ? (
          <code className="truncate font-mono text-xs" title={source?.repo_commit_sha ?? version}>
            {version}
          </code>
        ) : null}
        {source?.repo_ref ? <span className="truncate text-ink-2">{source.repo_ref}</span> : null}
        {isActive ? <Badge className="border-ok/40 bg-ok-soft text-ok">active</Badge> : null}
      </div>
      <IdChip id={revision.id} what="revision id" className="text-ink-3" />
      <span className="w-24 shrink-0 text-right text-ink-2">
        <RelativeTime at={revision.created_at} />
      </span>
    </li>
  )
}

'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { RevisionStatus } from '@/components/shared/feedback/revision-status'
import { STALE_STYLE, useIsStale } from '@/components/shared/feedback/stale-notice'
import { Panel } from '@/components/shared/layout/panel'
import { IdChip } from '@/components/shared/text/id-chip'
import { RelativeTime } from '@/components/shared/text/relative-time'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { deploymentHealth } from '@/lib/contracts/wire/state'
import { shortId } from '@/lib/format/format'
import { revisionQuery } from '@/lib/queries/revisions'
import { routes } from '@/lib/routes'
import { HealthDetail } from '../health-badge'

type Props = DeploymentPlace & { deployment: Deployment; revisions: readonly Revision[] | undefined }

/** The active revision, and the next one if there is one. */
export function OverviewRevisions({ workspace, deploymentId, deployment, revisions }: Props) {
  const { active_revision_id: active, latest_revision_id: latest, source } = deployment
  const place = { workspace, deploymentId }
  const listed = { listed: revisions, listener: deployment.listener }
  // It does not come next: it was deployed, and an earlier one serves again.
  const isRolledBack = latest !== active && revisions?.find(({ id }) => id === latest)?.status === 'DEPLOYED'
  const isUnheard = Boolean(deployment.listener?.away)
  const isStale = useIsStale()
  if (source === 'external') return <Panel title="Running">Run elsewhere. This workspace only has its address.</Panel>
  return (
    <div className="grid gap-4 @2xl:grid-cols-2">
      <Panel title={isUnheard ? 'Running, when last heard of' : 'Running'}>
        {active ? (
          <div className={isUnheard || isStale ? STALE_STYLE : undefined}>
            <Facts {...place} {...listed} id={active} since="rolled out" />
          </div>
        ) : (
          <p className="text-ink-2">No active revision yet.</p>
        )}
      </Panel>
      <Panel title={isRolledBack ? 'Latest revision' : 'Next revision'}>
        {latest && latest !== active ? (
          <Facts {...place} {...listed} id={latest} since="created">
            {(status) => (
              <p className="mt-2 text-ink-2">
                <HealthDetail health={deploymentHealth({ deployment, latestRevisionStatus: status })} />
              </p>
            )}
          </Facts>
        ) : (
          <p className="text-ink-2">{latest ? 'Up to date' : 'No revisions yet'}</p>
        )}
      </Panel>
    </div>
  )
}

type FactsProps = DeploymentPlace & {
  id: string
  listed: readonly Revision[] | undefined
  listener: Deployment['listener']
  since: string
  children?: (status: string) => ReactNode
}

/** A revision from the list, or fetched by id. */
function Facts({ workspace, deploymentId, id, listed, listener, since, children }: FactsProps) {
  const inList = listed?.find((one) => one.id === id)
  const alone = useQuery({
    ...revisionQuery(workspace, deploymentId, id),
    enabled: listed !== undefined && !inList,
    refetchInterval: 15_000,
  })
  const revision = inList ?? alone.data
  if (!revision)
    return alone.error ? (
      <p className="text-ink-2">
        <IdChip id={id} what="revision id" /> {alone.error.view.message}
      </p>
    ) : (
      <LateSkeleton className="my-1 w-40" />
    )
  const { repo_commit_sha: commit, repo_ref: ref, image_uri: image } = revision.source_revision_config
  const at = revision.status === 'DEPLOYED' && since !== 'created' ? revision.updated_at : revision.created_at
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <RevisionStatus status={revision.status} listener={listener} />
        <Link
          href={routes.revision(workspace, deploymentId, id)}
          className="font-mono text-accent text-xs hover:underline"
          title={id}
        >
          {shortId(id)}
        </Link>
        <span className="text-ink-2 text-xs">
          {since} <RelativeTime at={at} />
        </span>
      </div>
      {commit || image || ref ? (
        <p className="mt-1 flex min-w-0 items-center gap-2">
          {commit ? <IdChip id={commit} what="commit" /> : null}
          {image && !commit ? (
            <code className="truncate font-mono text-xs" title={image}>
              {image}
            </code>
          ) : null}
          {ref ? <span className="truncate text-ink-2">{ref}</span> : null}
        </p>
      ) : null}
      {children?.(revision.status)}
    </>
  )
}

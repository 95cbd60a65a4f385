'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { KeyValues } from '@/components/shared/key-values'
import { RelativeTime } from '@/components/shared/relative-time'
import { StaleNotice } from '@/components/shared/stale-notice'
import { Badge } from '@/components/ui/badge'
import { CopyButton } from '@/components/ui/copy-button'
import type { Deployment } from '@/lib/contracts/deployments'
import { deploymentQuery } from '@/lib/queries/deployments'
import { OVERVIEW_REVISIONS } from './overview-query'
import { RevisionList } from './revision-list'
import { useLiveDeployment } from './use-live'

export function DeploymentOverview({ workspace, deploymentId }: { workspace: string; deploymentId: string }) {
  const { problem, refetchInterval } = useLiveDeployment(workspace, deploymentId, OVERVIEW_REVISIONS)
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    ...deploymentQuery(workspace, deploymentId),
    refetchInterval,
  })
  // Its failure to load at all, or again, is the frame's to say.
  const isStale = problem !== undefined && data !== undefined && !error
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
      {isStale ? (
        <div className="lg:col-span-2">
          <StaleNotice message={problem} at={dataUpdatedAt} onRetry={() => void refetch()} />
        </div>
      ) : null}
      <RevisionList
        workspace={workspace}
        deploymentId={deploymentId}
        active={data?.active_revision_id ?? null}
        refetchInterval={refetchInterval}
      />
      {data ? (
        <Facts deployment={data} />
      ) : error ? null : (
        <div aria-hidden className="h-96 rounded-lg border bg-panel" />
      )}
    </div>
  )
}

function Facts({ deployment }: { deployment: Deployment }) {
  const { source_config: source, source_revision_config: revision, secrets } = deployment
  const spec = Object.entries(source?.resource_spec ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return (
    <aside aria-label="About this deployment" className="flex flex-col gap-4">
      <Section title="Source">
        <KeyValues
          items={[
            ['Kind', deployment.source],
            ['Repository', source?.repo_url && <Copied value={source.repo_url} what="repository" />],
            ['Ref', revision?.repo_ref],
            ['Commit', revision?.repo_commit_sha && <Copied value={revision.repo_commit_sha} what="commit" />],
            ['Graph config', revision?.graph_config_path],
            ['Image', revision?.image_uri && <Copied value={revision.image_uri} what="image" />],
            ['Type', source?.deployment_type],
            [
              'Build on push',
              source?.build_on_push === null || source?.build_on_push === undefined
                ? null
                : source.build_on_push
                  ? 'yes'
                  : 'no',
            ],
            ['Install command', source?.install_command],
            ['Build command', source?.build_command],
            ['Listener', source?.listener_id],
            ['Namespace', source?.listener_config?.k8s_namespace],
            ['Image version', deployment.image_version],
            ['Created', <RelativeTime key="created" at={deployment.created_at} />],
            ['Updated', <RelativeTime key="updated" at={deployment.updated_at} />],
          ]}
        />
      </Section>
      <Section title={`Secrets (${secrets.length})`}>
        {secrets.length === 0 ? (
          <p className="text-ink-2">None. Agents see no variables but the platform’s own.</p>
        ) : (
          <>
            <ul className="flex flex-wrap gap-1">
              {secrets.map(({ name }) => (
                <li key={name}>
                  <Badge className="font-mono">{name}</Badge>
                </li>
              ))}
            </ul>
            <p className="mt-2 text-ink-3 text-xs">Names only: values never reach a browser.</p>
          </>
        )}
      </Section>
      {spec.length > 0 ? (
        <Section title="Resources">
          <KeyValues
            items={spec.map(([name, value]) => [
              name,
              typeof value === 'object' ? JSON.stringify(value) : String(value),
            ])}
          />
        </Section>
      ) : null}
    </aside>
  )
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="rounded-lg border bg-panel p-4">
    <h2 className="mb-2 font-semibold text-sm">{title}</h2>
    {children}
  </section>
)

const Copied = ({ value, what }: { value: string; what: string }) => (
  <span className="flex min-w-0 items-center gap-1">
    <code className="truncate font-mono text-xs" title={value}>
      {value}
    </code>
    <CopyButton value={value} what={what} />
  </span>
)

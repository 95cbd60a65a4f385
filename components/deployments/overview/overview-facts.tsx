import Link from 'next/link'
import { Panel } from '@/components/shared/layout/panel'
import { CopiedText } from '@/components/shared/text/copied-text'
import { KeyValues } from '@/components/shared/text/key-values'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { sourceLabel } from '@/lib/contracts/deployments/source-label'
import { useListenerName } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'

/** The settings of a deployment: source, secret names and resources. */
export function OverviewFacts({ workspace, deployment }: { workspace: string; deployment: Deployment }) {
  const { id, source_config: source, source_revision_config: revision, secrets } = deployment
  const spec = Object.entries(source?.resource_spec ?? {}).filter(([, value]) => value !== null && value !== undefined)
  const listener = useListenerName(workspace, deployment)
  // Directly registered servers have no settings of a control plane.
  const hasSettings = deployment.source !== 'external'
  return (
    <>
      <Panel
        title="Source"
        action={hasSettings ? <Link href={routes.deploymentSettings(workspace, id)}>Settings</Link> : undefined}
      >
        {deployment.isolation === 'none' ? (
          <p className="mb-2 text-warn">Not isolated: deployed code runs with the operator’s rights.</p>
        ) : null}
        <KeyValues
          items={[
            ['Kind', sourceLabel(deployment.source)],
            ['Repository', source?.repo_url && <CopiedText value={source.repo_url} what="repository" />],
            ['Ref', revision?.repo_ref],
            ['Commit', revision?.repo_commit_sha && <CopiedText value={revision.repo_commit_sha} what="commit" />],
            ['Graph config', revision?.graph_config_path],
            ['Image', revision?.image_uri && <CopiedText value={revision.image_uri} what="image" />],
            ['Type', source?.deployment_type],
            [
              'Build on push',
              typeof source?.build_on_push === 'boolean' ? (source.build_on_push ? 'yes' : 'no') : null,
            ],
            ['Install command', source?.install_command],
            ['Build command', source?.build_command],
            [
              'Listener',
              listener && (
                <Link
                  className="text-accent hover:underline"
                  title={source.listener_id ?? undefined}
                  href={routes.listeners(workspace, { listener: source.listener_id ?? '' })}
                >
                  <VisibleText>{listener}</VisibleText>
                </Link>
              ),
            ],
            ['Namespace', source?.listener_config?.k8s_namespace],
            ['Image version', deployment.image_version],
            ['Tracing project', tracingProject(deployment)],
            ['Created', hasSettings ? <RelativeTime key="created" at={deployment.created_at} /> : 'unknown'],
            [
              hasSettings ? 'Updated' : 'Added here',
              <RelativeTime key="updated" at={hasSettings ? deployment.updated_at : deployment.created_at} />,
            ],
          ]}
        />
      </Panel>
      <Panel
        title={hasSettings ? `Secrets (${secrets.length})` : 'Secrets'}
        action={hasSettings ? <Link href={routes.deploymentSecrets(workspace, id)}>Edit</Link> : undefined}
      >
        {!hasSettings ? (
          <p className="text-ink-2">Unknown. They are set where the server runs.</p>
        ) : secrets.length === 0 ? (
          <p className="text-ink-2">No secrets. Agents see only the platform’s variables.</p>
        ) : (
          <>
            <ul className="flex flex-wrap gap-1">
              {secrets.map(({ name }) => (
                <li key={name}>
                  <Badge className="break-all font-mono">
                    <VisibleText>{name}</VisibleText>
                  </Badge>
                </li>
              ))}
            </ul>
            <p className="mt-2 text-ink-3 text-xs">Values are never shown.</p>
          </>
        )}
      </Panel>
      {spec.length > 0 ? (
        <Panel
          title="Resources"
          action={hasSettings ? <Link href={routes.deploymentResources(workspace, id)}>Edit</Link> : undefined}
        >
          <KeyValues
            items={spec.map(([name, value]) => [
              name,
              typeof value === 'object' ? JSON.stringify(value) : String(value),
            ])}
          />
        </Panel>
      ) : null}
    </>
  )
}

/** The tracing project, which has the deployment's name. Directly registered servers have none. */
const tracingProject = ({ name, source, tracing_project_id: id }: Deployment) =>
  source === 'external' ? null : (
    <span title={id ?? undefined}>
      {name}
      {id ? null : <span className="text-ink-3"> (found by name)</span>}
    </span>
  )

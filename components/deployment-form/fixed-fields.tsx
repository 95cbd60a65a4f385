import { KeyValues } from '@/components/shared/text/key-values'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { sourceLabel } from '@/lib/contracts/deployments/source-label'
import { useListenerName } from '@/lib/queries/deployments'

/** Settings that were fixed when the deployment was created. */
export function FixedFields({ workspace, deployment }: { workspace: string; deployment: Deployment }) {
  const { name, source, source_config: config } = deployment
  const items: [string, string | null | undefined][] = [
    ['Name', name],
    ['Source', sourceLabel(source)],
    ['Integration', config.integration_id],
    ['Repository', config.repo_url],
    ['Type', config.deployment_type],
    ['Listener', useListenerName(workspace, deployment)],
    ['Namespace', config.listener_config?.k8s_namespace],
  ]
  return (
    <section aria-label="Fixed" className="rounded-lg border bg-panel p-4">
      <h3 className="font-semibold text-base">Fixed</h3>
      <p className="mt-0.5 mb-3 text-ink-3 text-xs">
        These cannot be changed after creation. To use other values, create another deployment.
      </p>
      <KeyValues items={items.map(([label, value]) => [label, value ? <Fixed key={label}>{value}</Fixed> : null])} />
    </section>
  )
}

const Fixed = ({ children }: { children: string }) => (
  <span className="break-all font-mono text-xs">
    <VisibleText>{children}</VisibleText>
  </span>
)

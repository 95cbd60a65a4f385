import { DeploymentFrame } from '@/components/deployments/deployment-frame'
import { Hydrated } from '@/components/shared/hydrated'
import { deploymentQuery } from '@/lib/queries/deployments'
import { prefetch } from '@/lib/server/prefetch'

export default async function Layout({ params, children }: LayoutProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  await prefetch(deploymentQuery(workspace, deploymentId))
  return (
    <Hydrated>
      <DeploymentFrame workspace={workspace} deploymentId={deploymentId}>
        {children}
      </DeploymentFrame>
    </Hydrated>
  )
}

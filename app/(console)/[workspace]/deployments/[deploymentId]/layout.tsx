import { DeploymentFrame } from '@/components/deployments/deployment-frame'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { deploymentQuery } from '@/lib/queries/deployments'
import { prefetch } from '@/lib/server/relay/prefetch'

export default async function Layout({ params, children }: LayoutProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  // Pages check that the deployment exists, because recordings of its runs outlive it.
  await prefetch(deploymentQuery(workspace, deploymentId)).catch(() => undefined)
  return (
    <Hydrated isFrame>
      <DeploymentFrame workspace={workspace} deploymentId={deploymentId}>
        {children}
      </DeploymentFrame>
    </Hydrated>
  )
}

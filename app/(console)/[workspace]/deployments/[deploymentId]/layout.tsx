import { DeploymentFrame } from '@/components/deployments/deployment-frame'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { Rights } from '@/components/shared/layout/rights'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { roleAt } from '@/lib/contracts/wire/rights'
import { deploymentQuery } from '@/lib/queries/deployments'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { prefetch } from '@/lib/server/relay/prefetch'

export default async function Layout({ params, children }: LayoutProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  const { current } = await pageWorkspace(workspace)
  const role = roleAt(current.rights, deploymentId)
  const mayAct = (needed: Role) => role !== null && isAtLeast(role, needed)
  // Pages check that the deployment exists, because recordings of its runs outlive it.
  await prefetch(deploymentQuery(workspace, deploymentId)).catch(() => undefined)
  return (
    <Hydrated isFrame>
      <Rights canRun={mayAct('developer')} canAdminister={mayAct('admin')}>
        <DeploymentFrame workspace={workspace} deploymentId={deploymentId}>
          {children}
        </DeploymentFrame>
      </Rights>
    </Hydrated>
  )
}

import { deploymentQuery } from '@/lib/queries/deployments'
import { prefetch } from '@/lib/server/relay/prefetch'

/** What there is only while there is the deployment: all but what was recorded of its runs. */
export default async function Layout({ params, children }: LayoutProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  await prefetch(deploymentQuery(workspace, deploymentId))
  return children
}

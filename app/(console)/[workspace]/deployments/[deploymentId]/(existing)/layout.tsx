import { deploymentQuery } from '@/lib/queries/deployments'
import { prefetch } from '@/lib/server/relay/prefetch'

/** Pages that need an existing deployment. Recordings of its runs outlive it and are not below this layout. */
export default async function Layout({ params, children }: LayoutProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  await prefetch(deploymentQuery(workspace, deploymentId))
  return children
}

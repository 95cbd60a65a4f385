import { DeploymentOverview } from '@/components/deployments/deployment-overview'
import { OVERVIEW_REVISIONS } from '@/components/deployments/overview-query'
import { Hydrated } from '@/components/shared/hydrated'
import { revisionsQuery } from '@/lib/queries/revisions'
import { prefetch } from '@/lib/server/prefetch'

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  await prefetch(revisionsQuery(workspace, deploymentId, OVERVIEW_REVISIONS))
  return (
    <Hydrated>
      <DeploymentOverview workspace={workspace} deploymentId={deploymentId} />
    </Hydrated>
  )
}

import type { Metadata } from 'next'
import { DeploymentLogs } from '@/components/revisions/logs/deployment-logs'
import { pageWorkspace } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Logs' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/logs'>) {
  const { workspace, deploymentId } = await params
  await pageWorkspace(workspace)
  return <DeploymentLogs workspace={workspace} deploymentId={deploymentId} serverNow={Date.now()} />
}

import type { Metadata } from 'next'
import { CompareDeploymentTraces } from '@/components/traces/compare/compare-traces'
import { pageActor } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Compare traces' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/traces/compare'>) {
  const { workspace, deploymentId } = await params
  await pageActor()
  return <CompareDeploymentTraces workspace={workspace} deploymentId={deploymentId} />
}

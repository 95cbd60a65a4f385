import type { Metadata } from 'next'
import { FindTrace } from '@/components/traces/list/find-trace'

export const metadata: Metadata = { title: 'Trace' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/traces/of-run/[runId]'>) {
  const { workspace, deploymentId, runId } = await params
  return <FindTrace workspace={workspace} deploymentId={deploymentId} run={runId} />
}

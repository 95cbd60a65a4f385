import type { Metadata } from 'next'
import { RunsList } from '@/components/runs/runs-list'
import { visibleRecordings } from '../../../recordings'

export const metadata: Metadata = { title: 'Runs' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs'>) {
  const { workspace, deploymentId } = await params
  const { after } = await searchParams
  const page = await visibleRecordings({
    workspace,
    deployment: deploymentId,
    after: typeof after === 'string' ? after : undefined,
  })
  return <RunsList workspace={workspace} deployment={deploymentId} initial={page} serverNow={Date.now()} />
}

import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { SystemPage } from '@/components/system/system-page'
import { infoQuery } from '@/lib/queries/server-info'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'System' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/system'>) {
  const { workspace, deploymentId } = await params
  await prefetch(infoQuery(workspace, deploymentId))
  return (
    <Hydrated>
      <SystemPage workspace={workspace} deploymentId={deploymentId} />
    </Hydrated>
  )
}

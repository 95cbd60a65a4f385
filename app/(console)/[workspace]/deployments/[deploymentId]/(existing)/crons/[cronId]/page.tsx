import type { Metadata } from 'next'
import { CronPage } from '@/components/crons/cron-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { cronQuery } from '@/lib/queries/crons'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Cron' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/crons/[cronId]'>) {
  const { workspace, deploymentId, cronId } = await params
  const cron = decodeURIComponent(cronId)
  await prefetch(cronQuery(workspace, deploymentId, cron))
  return (
    <Hydrated>
      <CronPage workspace={workspace} deploymentId={deploymentId} cron={cron} />
    </Hydrated>
  )
}

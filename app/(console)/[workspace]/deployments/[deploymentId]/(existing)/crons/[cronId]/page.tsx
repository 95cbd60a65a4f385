import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { cronQuery } from '@/lib/queries/crons'
import { prefetch } from '@/lib/server/relay/prefetch'
import { CronScreen } from '../screen'

export const metadata: Metadata = { title: 'Cron' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/crons/[cronId]'>) {
  const { workspace, deploymentId, cronId } = await params
  const cron = decodeURIComponent(cronId)
  await prefetch(cronQuery(workspace, deploymentId, cron))
  return (
    <Hydrated>
      <CronScreen workspace={workspace} deploymentId={deploymentId} cron={cron} />
    </Hydrated>
  )
}

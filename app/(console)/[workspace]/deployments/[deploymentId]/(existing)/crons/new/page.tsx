import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { anyCronQuery } from '@/lib/queries/crons'
import { prefetch } from '@/lib/server/relay/prefetch'
import { NewCronScreen } from '../screen'

export const metadata: Metadata = { title: 'New cron' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/crons/new'>) {
  const { workspace, deploymentId } = await params
  await prefetch(anyCronQuery(workspace, deploymentId))
  return (
    <Hydrated>
      <NewCronScreen workspace={workspace} deploymentId={deploymentId} />
    </Hydrated>
  )
}

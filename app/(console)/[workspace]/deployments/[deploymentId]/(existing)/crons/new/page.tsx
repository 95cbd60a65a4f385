import type { Metadata } from 'next'
import { NewCron } from '@/components/crons/new-cron'

export const metadata: Metadata = { title: 'New cron' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/crons/new'>) {
  const { workspace, deploymentId } = await params
  return <NewCron workspace={workspace} deploymentId={deploymentId} />
}

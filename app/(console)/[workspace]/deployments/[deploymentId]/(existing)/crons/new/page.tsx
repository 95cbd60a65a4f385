import type { Metadata } from 'next'
import { NewCronScreen } from '../screen'

export const metadata: Metadata = { title: 'New cron' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/crons/new'>) {
  const { workspace, deploymentId } = await params
  return <NewCronScreen workspace={workspace} deploymentId={deploymentId} />
}

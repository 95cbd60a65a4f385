import type { Metadata } from 'next'
import { Danger } from '@/components/deployment-form/danger'

export const metadata: Metadata = { title: 'Danger' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/settings/danger'>) {
  const { workspace, deploymentId } = await params
  return <Danger workspace={workspace} deploymentId={deploymentId} />
}

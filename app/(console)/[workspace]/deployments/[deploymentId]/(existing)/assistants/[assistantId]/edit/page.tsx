import type { Metadata } from 'next'
import { EditAssistant } from '@/components/assistants/form/edit-assistant'

export const metadata: Metadata = { title: 'Edit assistant' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/assistants/[assistantId]/edit'>) {
  const { workspace, deploymentId, assistantId } = await params
  return <EditAssistant workspace={workspace} deploymentId={deploymentId} assistant={decodeURIComponent(assistantId)} />
}

import type { Metadata } from 'next'
import { NewAssistant } from '@/components/assistants/form/new-assistant'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { defaultAssistantsQuery } from '@/lib/queries/assistants'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'New assistant' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/assistants/new'>) {
  const { workspace, deploymentId } = await params
  await prefetch(defaultAssistantsQuery(workspace, deploymentId))
  return (
    <Hydrated>
      <NewAssistant workspace={workspace} deploymentId={deploymentId} />
    </Hydrated>
  )
}

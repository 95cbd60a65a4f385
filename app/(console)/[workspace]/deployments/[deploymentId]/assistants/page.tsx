import type { Metadata } from 'next'
import { assistantSearchOf } from '@/components/assistants/assistant-filter'
import { AssistantsList } from '@/components/assistants/assistants-list'
import { Hydrated } from '@/components/shared/hydrated'
import { assistantsQuery } from '@/lib/queries/assistants'
import { prefetch } from '@/lib/server/prefetch'

export const metadata: Metadata = { title: 'Assistants' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/assistants'>) {
  const { workspace, deploymentId } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  await prefetch(assistantsQuery(workspace, deploymentId, assistantSearchOf(search)))
  return (
    <Hydrated>
      <AssistantsList workspace={workspace} deployment={deploymentId} />
    </Hydrated>
  )
}

import type { Metadata } from 'next'
import { pickableAssistants } from '@/components/runs/pickable-assistants'
import { StartForm } from '@/components/runs/start-form'
import { Hydrated } from '@/components/shared/hydrated'
import { prefetch } from '@/lib/server/prefetch'

export const metadata: Metadata = { title: 'New run' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs/new'>) {
  const { workspace, deploymentId } = await params
  const { assistant, thread, checkpoint } = await searchParams
  await prefetch(pickableAssistants(workspace, deploymentId))
  return (
    <Hydrated>
      <StartForm
        workspace={workspace}
        deployment={deploymentId}
        assistant={typeof assistant === 'string' ? assistant : undefined}
        thread={typeof thread === 'string' ? thread : undefined}
        checkpoint={typeof checkpoint === 'string' ? checkpoint : undefined}
      />
    </Hydrated>
  )
}

import type { Metadata } from 'next'
import { A2aPage } from '@/components/protocols/a2a-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pickableAssistants } from '@/lib/queries/assistants'
import { infoQuery } from '@/lib/queries/server-info'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'A2A' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/a2a'>) {
  const { workspace, deploymentId } = await params
  await prefetch(infoQuery(workspace, deploymentId), pickableAssistants(workspace, deploymentId))
  return (
    <Hydrated>
      <A2aPage place={{ workspace, deploymentId }} />
    </Hydrated>
  )
}

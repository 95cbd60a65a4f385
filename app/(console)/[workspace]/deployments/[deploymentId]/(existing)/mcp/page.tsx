import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { infoQuery } from '@/lib/queries/server-info'
import { prefetch } from '@/lib/server/relay/prefetch'
import { Screen } from './screen'

export const metadata: Metadata = { title: 'MCP' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/mcp'>) {
  const { workspace, deploymentId } = await params
  await prefetch(infoQuery(workspace, deploymentId))
  return (
    <Hydrated>
      <Screen workspace={workspace} deploymentId={deploymentId} />
    </Hydrated>
  )
}

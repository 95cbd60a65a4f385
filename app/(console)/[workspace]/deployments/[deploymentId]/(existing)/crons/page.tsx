import type { Metadata } from 'next'
import { CronsList } from '@/components/crons/crons-list'
import { cronsQueryOf } from '@/components/crons/crons-query'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { cronsQuery } from '@/lib/queries/crons'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Crons' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/crons'>) {
  const { workspace, deploymentId } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  const { body, problem } = cronsQueryOf(search)
  if (!problem) await prefetch(cronsQuery(workspace, deploymentId, body))
  return (
    <Hydrated>
      <CronsList workspace={workspace} deploymentId={deploymentId} />
    </Hydrated>
  )
}

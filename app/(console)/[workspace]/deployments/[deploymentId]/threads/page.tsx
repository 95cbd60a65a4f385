import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/hydrated'
import { threadQueryOf } from '@/components/threads/thread-filter'
import { ThreadsList } from '@/components/threads/threads-list'
import { threadsQuery } from '@/lib/queries/threads'
import { prefetch } from '@/lib/server/prefetch'

export const metadata: Metadata = { title: 'Threads' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/threads'>) {
  const { workspace, deploymentId } = await params
  const { body, problem } = threadQueryOf(new URLSearchParams(Object.entries(await searchParams) as [string, string][]))
  if (!problem) await prefetch(threadsQuery(workspace, deploymentId, body))
  return (
    <Hydrated>
      <ThreadsList workspace={workspace} deployment={deploymentId} />
    </Hydrated>
  )
}

import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { lightThreadQuery } from '@/components/threads/list-query'
import { ThreadPage } from '@/components/threads/thread-page'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Thread' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/threads/[threadId]'>) {
  const { workspace, deploymentId, threadId } = await params
  const place = { workspace, deploymentId, thread: decodeURIComponent(threadId) }
  // Only the record: the state may be megabytes, so the browser loads it separately.
  await prefetch(lightThreadQuery(place))
  return (
    <Hydrated>
      <ThreadPage {...place} />
    </Hydrated>
  )
}

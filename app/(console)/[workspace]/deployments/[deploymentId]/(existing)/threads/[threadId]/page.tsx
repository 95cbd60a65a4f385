import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pickableAssistants } from '@/lib/queries/assistants'
import { prefetch } from '@/lib/server/relay/prefetch'
import { prefetchThread } from '../../chat/prefetch-thread'
import { Screen } from '../../chat/screen'

export const metadata: Metadata = { title: 'Thread' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/threads/[threadId]'>) {
  const { workspace, deploymentId, threadId } = await params
  const place = { workspace, deploymentId }
  await Promise.all([
    prefetchThread({ ...place, thread: decodeURIComponent(threadId) }),
    prefetch(pickableAssistants(workspace, deploymentId)).catch(() => undefined),
  ])
  return (
    <Hydrated>
      <Screen {...place} base="threads" serverNow={Date.now()} />
    </Hydrated>
  )
}

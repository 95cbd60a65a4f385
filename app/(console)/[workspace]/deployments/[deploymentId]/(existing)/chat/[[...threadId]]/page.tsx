import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pickableAssistants } from '@/lib/queries/assistants'
import { prefetch } from '@/lib/server/relay/prefetch'
import { prefetchThread } from '../prefetch-thread'
import { Screen } from '../screen'

export const metadata: Metadata = { title: 'Chat' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/chat/[[...threadId]]'>) {
  const { workspace, deploymentId, threadId = [] } = await params
  if (threadId.length > 1) notFound()
  const [thread] = threadId.map(decodeURIComponent)
  const place = { workspace, deploymentId }
  await Promise.all([
    // Optional: a stopped agent server must not hide the page.
    prefetch(pickableAssistants(workspace, deploymentId)).catch(() => undefined),
    thread ? prefetchThread({ ...place, thread }) : undefined,
  ])
  return (
    <Hydrated>
      <Screen {...place} base="chat" serverNow={Date.now()} />
    </Hydrated>
  )
}

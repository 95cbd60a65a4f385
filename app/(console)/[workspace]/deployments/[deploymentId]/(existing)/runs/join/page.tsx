import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { JoinRun } from '@/components/runs/page/join-run'
import { pageWorkspace } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Run' }

/** Joining happens in an action, because a GET must have no effect. */
export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs/join'>) {
  const { workspace, deploymentId } = await params
  const { thread, run } = await searchParams
  await pageWorkspace(workspace)
  if (typeof thread !== 'string' || typeof run !== 'string') notFound()
  return <JoinRun workspace={workspace} deploymentId={deploymentId} thread={thread} run={run} />
}

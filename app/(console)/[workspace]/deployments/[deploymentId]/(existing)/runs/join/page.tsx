import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { JoinRun } from '@/components/runs/page/join-run'
import { routes } from '@/lib/routes'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { recordingOfRun } from '../../../../../recordings'

export const metadata: Metadata = { title: 'Run' }

/** Joining happens in an action, because a GET must have no effect. */
export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs/join'>) {
  const { workspace, deploymentId } = await params
  const { thread, run } = await searchParams
  await pageWorkspace(workspace)
  if (typeof run !== 'string') notFound()
  if (typeof thread !== 'string') {
    const recording = await recordingOfRun(workspace, deploymentId, run)
    const { recording: recorded, traceOfRun } = routes
    redirect(recording ? recorded(workspace, deploymentId, recording) : traceOfRun(workspace, deploymentId, run))
  }
  return <JoinRun workspace={workspace} deploymentId={deploymentId} thread={thread} run={run} />
}

import type { Metadata } from 'next'
import { ResourceSpecPage } from '@/components/deployment-form/resource-spec/resource-spec-page'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { readResourceSpec } from '@/lib/server/edits/read-resource-spec'
import { toResult } from '@/lib/server/process/result'

export const metadata: Metadata = { title: 'Resources' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/settings/resources'>) {
  const { workspace, deploymentId } = await params
  const { actor } = await pageWorkspace(workspace)
  const view = await toResult(() => readResourceSpec({ workspace, deploymentId }, actor))
  if (!view.ok) return <ErrorNotice error={view.error} />
  return <ResourceSpecPage workspace={workspace} deploymentId={deploymentId} view={view.data} />
}

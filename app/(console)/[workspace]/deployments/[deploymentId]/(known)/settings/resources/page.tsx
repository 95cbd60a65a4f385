import type { Metadata } from 'next'
import { ResourceSpecPage } from '@/components/resource-spec/resource-spec-page'
import { ErrorNotice } from '@/components/shared/error-notice'
import { readResourceSpec } from '@/lib/server/edits/read-resource-spec'
import { pageWorkspace } from '@/lib/server/page-actor'
import { settle } from '@/lib/server/settle'

export const metadata: Metadata = { title: 'Resources' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/settings/resources'>) {
  const { workspace, deploymentId } = await params
  const { actor } = await pageWorkspace(workspace)
  const view = await settle(() => readResourceSpec({ workspace, deployment: deploymentId }, actor))
  if (!view.ok) return <ErrorNotice error={view.error} />
  return <ResourceSpecPage workspace={workspace} deploymentId={deploymentId} view={view.data} />
}

import type { Metadata } from 'next'
import { revisionListQueryOf } from '@/components/revisions/common/list-query'
import { RevisionsPage } from '@/components/revisions/revisions-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { revisionsQuery } from '@/lib/queries/revisions'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listRevisionChanges } from '@/lib/server/records/changes'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Revisions' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/revisions'>) {
  const { workspace, deploymentId } = await params
  const { actor } = await pageWorkspace(workspace)
  const query = revisionListQueryOf(new URLSearchParams(Object.entries(await searchParams) as [string, string][]))
  const [changes] = await Promise.all([
    listRevisionChanges(actor, { workspace, deploymentId }),
    prefetch(revisionsQuery(workspace, deploymentId, query)),
  ])
  return (
    <Hydrated>
      <RevisionsPage workspace={workspace} deploymentId={deploymentId} changes={changes} />
    </Hydrated>
  )
}

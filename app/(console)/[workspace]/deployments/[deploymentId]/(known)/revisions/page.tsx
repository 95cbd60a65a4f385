import type { Metadata } from 'next'
import { revisionListQueryOf } from '@/components/revisions/list-query'
import { RevisionsPage } from '@/components/revisions/revisions-page'
import { Hydrated } from '@/components/shared/hydrated'
import { revisionsQuery } from '@/lib/queries/revisions'
import { pageWorkspace } from '@/lib/server/page-actor'
import { prefetch } from '@/lib/server/prefetch'
import { listChanges } from '@/lib/server/revision-changes'

export const metadata: Metadata = { title: 'Revisions' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/revisions'>) {
  const { workspace, deploymentId } = await params
  const { actor } = await pageWorkspace(workspace)
  const query = revisionListQueryOf(new URLSearchParams(Object.entries(await searchParams) as [string, string][]))
  const [changes] = await Promise.all([
    listChanges(actor, { workspace, deployment: deploymentId }),
    prefetch(revisionsQuery(workspace, deploymentId, query)),
  ])
  return (
    <Hydrated>
      <RevisionsPage workspace={workspace} deploymentId={deploymentId} changes={changes} />
    </Hydrated>
  )
}

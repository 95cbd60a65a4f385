import type { Metadata } from 'next'
import { RevisionPage } from '@/components/revisions/revision-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { revisionQuery } from '@/lib/queries/revisions'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listRevisionChanges } from '@/lib/server/records/changes'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Revision' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/revisions/[revisionId]'>) {
  const { workspace, deploymentId, revisionId } = await params
  const { actor } = await pageWorkspace(workspace)
  const [changes] = await Promise.all([
    listRevisionChanges(actor, { workspace, deploymentId }),
    prefetch(revisionQuery(workspace, deploymentId, revisionId)),
  ])
  return (
    <Hydrated>
      <RevisionPage
        key={revisionId}
        workspace={workspace}
        deploymentId={deploymentId}
        revisionId={revisionId}
        changes={changes}
      />
    </Hydrated>
  )
}

import type { Metadata } from 'next'
import { ComparePage } from '@/components/revisions/compare-page'
import { COMPARABLE } from '@/components/revisions/list-query'
import { Hydrated } from '@/components/shared/hydrated'
import { revisionsQuery } from '@/lib/queries/revisions'
import { pageWorkspace } from '@/lib/server/page-actor'
import { prefetch } from '@/lib/server/prefetch'
import { listChanges } from '@/lib/server/revision-changes'
import { mayNameSecrets } from '@/lib/server/secret-names'

export const metadata: Metadata = { title: 'Compare revisions' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/revisions/compare'>) {
  const { workspace, deploymentId } = await params
  const { actor, current } = await pageWorkspace(workspace)
  const [changes] = await Promise.all([
    listChanges(actor, { workspace, deployment: deploymentId }),
    prefetch(revisionsQuery(workspace, deploymentId, COMPARABLE)),
  ])
  return (
    <Hydrated>
      <ComparePage
        workspace={workspace}
        deploymentId={deploymentId}
        changes={changes}
        showsSecretNames={mayNameSecrets(current.role, current)}
      />
    </Hydrated>
  )
}

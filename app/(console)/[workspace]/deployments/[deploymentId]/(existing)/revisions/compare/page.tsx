import type { Metadata } from 'next'
import { COMPARABLE } from '@/components/revisions/common/list-query'
import { ComparePage } from '@/components/revisions/compare/compare-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { roleAt } from '@/lib/contracts/wire/rights'
import { revisionsQuery } from '@/lib/queries/revisions'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listRevisionChanges } from '@/lib/server/records/changes'
import { prefetch } from '@/lib/server/relay/prefetch'
import { mayNameSecrets } from '@/lib/server/upstream/secret-names'

export const metadata: Metadata = { title: 'Compare revisions' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/revisions/compare'>) {
  const { workspace, deploymentId } = await params
  const { actor, current } = await pageWorkspace(workspace)
  const [changes] = await Promise.all([
    listRevisionChanges(actor, { workspace, deploymentId }),
    prefetch(revisionsQuery(workspace, deploymentId, COMPARABLE)),
  ])
  return (
    <Hydrated>
      <ComparePage
        workspace={workspace}
        deploymentId={deploymentId}
        changes={changes}
        showsSecretNames={mayNameSecrets(roleAt(current.rights, deploymentId) ?? 'viewer', current)}
      />
    </Hydrated>
  )
}

import type { Metadata } from 'next'
import { AlertsPage } from '@/components/alerts/alerts-page'
import { ForMembers } from '@/components/shared/feedback/empty-state'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { isLimited } from '@/lib/contracts/wire/rights'
import { alertsQuery } from '@/lib/queries/alerts'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { alertsView } from '@/lib/server/alerts/serve'
import { prefetchRead } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Alerts' }

export default async function Page({ params }: PageProps<'/[workspace]/alerts'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  if (isLimited(current.rights)) return <ForMembers title="Alerts" />
  await prefetchRead(alertsQuery(current.slug).queryKey, () => alertsView(current.slug, actor))
  return (
    <Hydrated>
      <AlertsPage workspace={current.slug} />
    </Hydrated>
  )
}

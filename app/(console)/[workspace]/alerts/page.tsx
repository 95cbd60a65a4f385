import type { Metadata } from 'next'
import { AlertsPage } from '@/components/alerts/alerts-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { alertsQuery } from '@/lib/queries/alerts'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { alertsView } from '@/lib/server/alerts/serve'
import { prefetchRead } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Alerts' }

export default async function Page({ params }: PageProps<'/[workspace]/alerts'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  await prefetchRead(alertsQuery(current.slug).queryKey, () => alertsView(current.slug, actor))
  return (
    <Hydrated>
      <AlertsPage workspace={current.slug} />
    </Hydrated>
  )
}

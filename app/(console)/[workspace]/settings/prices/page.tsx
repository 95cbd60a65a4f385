import type { Metadata } from 'next'
import { PricesPage } from '@/components/settings/prices/prices-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pricesQuery } from '@/lib/queries/traces'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listPrices } from '@/lib/server/records/prices'
import { prefetchRead } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Model prices' }

export default async function Page({ params }: PageProps<'/[workspace]/settings/prices'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  await prefetchRead(pricesQuery(current.slug).queryKey, () => listPrices(actor, current.slug))
  return (
    <Hydrated>
      <PricesPage workspace={current.slug} />
    </Hydrated>
  )
}

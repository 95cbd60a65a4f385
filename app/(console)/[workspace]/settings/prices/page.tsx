import type { Metadata } from 'next'
import { PricesPage } from '@/components/settings/prices/prices-page'
import { Hydrated } from '@/components/shared/hydrated'
import { pricesQuery } from '@/lib/queries/prices'
import { pageWorkspace } from '@/lib/server/page-actor'
import { prefetchRead } from '@/lib/server/prefetch'
import { listPrices } from '@/lib/server/prices'

export const metadata: Metadata = { title: 'Model prices' }

export default async function Page({ params }: PageProps<'/[workspace]/settings/prices'>) {
  const { current } = await pageWorkspace((await params).workspace)
  await prefetchRead(pricesQuery(current.slug).queryKey, () => listPrices(current.slug))
  return (
    <Hydrated>
      <PricesPage workspace={current.slug} />
    </Hydrated>
  )
}

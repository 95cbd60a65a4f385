import type { Metadata } from 'next'
import { DeploymentsPage } from '@/components/deployments/deployments-page'
import { listQueryOf } from '@/components/deployments/list-query'
import { Hydrated } from '@/components/shared/hydrated'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { prefetch } from '@/lib/server/prefetch'

export const metadata: Metadata = { title: 'Deployments' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/deployments'>) {
  const { workspace } = await params
  await prefetch(
    deploymentsQuery(
      workspace,
      listQueryOf(new URLSearchParams(Object.entries(await searchParams) as [string, string][])),
    ),
  )
  return (
    <Hydrated>
      <DeploymentsPage workspace={workspace} />
    </Hydrated>
  )
}

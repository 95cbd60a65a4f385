import type { Metadata } from 'next'
import { CompareVersions } from '@/components/assistants/compare-versions'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { assistantPageData } from '../page-data'

export const metadata: Metadata = { title: 'Compare versions' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/assistants/[assistantId]/compare'>) {
  const data = await assistantPageData(params)
  return (
    <Hydrated>
      <CompareVersions {...data} />
    </Hydrated>
  )
}

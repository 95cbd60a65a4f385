import type { Metadata } from 'next'
import { AssistantPage } from '@/components/assistants/assistant-page'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { assistantPageData } from './page-data'

export const metadata: Metadata = { title: 'Assistant' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/assistants/[assistantId]'>) {
  const data = await assistantPageData(params)
  return (
    <Hydrated>
      <AssistantPage {...data} />
    </Hydrated>
  )
}

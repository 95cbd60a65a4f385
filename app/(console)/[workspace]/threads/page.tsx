import type { Metadata } from 'next'
import { PageHeader } from '@/components/shared/layout/page-header'
import { AllThreads } from '@/components/threads/all-threads'
import { pageWorkspace } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Threads' }

export default async function Page({ params }: PageProps<'/[workspace]/threads'>) {
  const { workspace } = await params
  await pageWorkspace(workspace)
  return (
    <>
      <PageHeader title="Threads" />
      <AllThreads workspace={workspace} />
    </>
  )
}

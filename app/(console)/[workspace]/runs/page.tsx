import type { Metadata } from 'next'
import { RunsList } from '@/components/runs/runs-list'
import { Hydrated } from '@/components/shared/hydrated'
import { PageHeader } from '@/components/shared/page-header'
import { visibleRecordings } from '../recordings'

export const metadata: Metadata = { title: 'Runs' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/runs'>) {
  const { workspace } = await params
  const { after } = await searchParams
  const page = await visibleRecordings({ workspace, after: typeof after === 'string' ? after : undefined })
  return (
    <Hydrated>
      <PageHeader title="Runs" />
      <RunsList workspace={workspace} initial={page} serverNow={Date.now()} />
    </Hydrated>
  )
}

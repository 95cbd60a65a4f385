import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { PageHeader } from '@/components/shared/layout/page-header'
import { ProjectsList } from '@/components/traces/list/projects-list'
import { pageActor } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Tracing projects' }

export default async function Page({ params }: PageProps<'/[workspace]/traces/projects'>) {
  const { workspace } = await params
  await pageActor()
  return (
    <Hydrated>
      <PageHeader title="Tracing projects">
        <p className="mt-1 max-w-2xl text-ink-2">
          Each deployment logs to a project of its own. SDKs and exporters create others by naming them.
        </p>
      </PageHeader>
      <ProjectsList workspace={workspace} />
    </Hydrated>
  )
}

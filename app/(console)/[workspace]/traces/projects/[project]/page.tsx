import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { ProjectTraces } from '@/components/traces/list/project-traces'
import { projectQuery } from '@/lib/queries/traces'
import { pageActor } from '@/lib/server/access/page-actor'
import { listViews } from '@/lib/server/records/saved-views'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Traces' }

export default async function Page({ params }: PageProps<'/[workspace]/traces/projects/[project]'>) {
  const { workspace, project } = await params
  const actor = await pageActor()
  const [views] = await Promise.all([
    // Optional: the page works without them.
    listViews(actor, { workspace, page: 'traces' }).catch(() => []),
    prefetch(projectQuery(workspace, project)),
  ])
  return (
    <Hydrated>
      <ProjectTraces workspace={workspace} project={project} views={views} />
    </Hydrated>
  )
}

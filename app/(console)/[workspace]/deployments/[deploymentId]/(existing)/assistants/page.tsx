import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { AssistantsList } from '@/components/assistants/assistants-list'
import { assistantQueryOf } from '@/components/assistants/list-query'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { assistantsQuery } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listViews } from '@/lib/server/records/saved-views'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Assistants' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/assistants'>) {
  const { workspace, deploymentId } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  const actor = await pageActor()
  const [views] = await Promise.all([
    // Optional: the page works without them.
    listViews(actor, { workspace, page: 'assistants' }).catch(() => []),
    prefetch(assistantsQuery(workspace, deploymentId, assistantQueryOf(search).body)),
  ])
  const opened = search.size === 0 ? views.find((view) => view.isDefault) : undefined
  if (opened)
    redirect(
      routes.assistants(workspace, deploymentId, {
        ...Object.fromEntries(new URLSearchParams(opened.query)),
        view: opened.id,
      }),
    )
  return (
    <Hydrated>
      <AssistantsList workspace={workspace} deploymentId={deploymentId} views={views} />
    </Hydrated>
  )
}

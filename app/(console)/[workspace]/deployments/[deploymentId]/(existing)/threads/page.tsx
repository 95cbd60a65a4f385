import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pressingOf, threadQueryOf } from '@/components/threads/list-query'
import { ThreadsList } from '@/components/threads/threads-list'
import { threadsQuery } from '@/lib/queries/threads'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listViews } from '@/lib/server/records/saved-views'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Threads' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/threads'>) {
  const { workspace, deploymentId } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  const asked = threadQueryOf(search)
  const { body, problem } = asked
  const pressing = pressingOf(asked)
  const actor = await pageActor()
  const [views] = await Promise.all([
    // Optional: the page works without them.
    listViews(actor, { workspace, page: 'threads' }).catch(() => []),
    problem ? undefined : prefetch(threadsQuery(workspace, deploymentId, body)),
    // Otherwise they would push the others down once they come.
    problem || !pressing ? undefined : prefetch(threadsQuery(workspace, deploymentId, pressing)),
  ])
  const opened = search.size === 0 ? views.find((view) => view.isDefault) : undefined
  if (opened)
    redirect(
      routes.threads(workspace, deploymentId, {
        ...Object.fromEntries(new URLSearchParams(opened.query)),
        view: opened.id,
      }),
    )
  return (
    <Hydrated>
      <ThreadsList workspace={workspace} deploymentId={deploymentId} views={views} />
    </Hydrated>
  )
}

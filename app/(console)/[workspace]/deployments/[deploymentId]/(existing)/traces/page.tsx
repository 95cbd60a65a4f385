import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { UnlessNoServer } from '@/components/deployments/no-server'
import { TracesPage } from '@/components/traces/list/traces-page'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listViews } from '@/lib/server/records/saved-views'

export const metadata: Metadata = { title: 'Traces' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/traces'>) {
  const { workspace, deploymentId } = await params
  const search = await searchParams
  const actor = await pageActor()
  // Optional: the page works without them.
  const views = await listViews(actor, { workspace, page: 'traces' }).catch(() => [])
  const opened = Object.keys(search).length === 0 ? views.find((view) => view.isDefault) : undefined
  if (opened)
    redirect(
      routes.traces(workspace, deploymentId, {
        ...Object.fromEntries(new URLSearchParams(opened.query)),
        view: opened.id,
      }),
    )
  return (
    <TracesPage
      workspace={workspace}
      deploymentId={deploymentId}
      views={views}
      noServer={
        <UnlessNoServer workspace={workspace} deploymentId={deploymentId}>
          {null}
        </UnlessNoServer>
      }
    />
  )
}

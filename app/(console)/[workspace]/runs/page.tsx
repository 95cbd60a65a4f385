import type { Metadata } from 'next'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import { runRowsQueryOf } from '@/components/runs/list/list-query'
import { RunsList } from '@/components/runs/list/runs-list'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { PageHeader } from '@/components/shared/layout/page-header'
import { Button } from '@/components/ui/button'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listViews } from '@/lib/server/records/saved-views'
import { prefetch, prefetchRead } from '@/lib/server/relay/prefetch'
import { readRunRows } from '@/lib/server/resources/runs/list'

export const metadata: Metadata = { title: 'Runs' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/runs'>) {
  const { workspace } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  const actor = await pageActor()
  const query = runRowsQueryOf(search)
  const [views] = await Promise.all([
    // Optional: the page works without them.
    listViews(actor, { workspace, page: 'all-runs' }).catch(() => []),
    prefetchRead(runRowsQuery(workspace, query).queryKey, () => readRunRows(workspace, query, actor)),
    // Only for names; the same query as in the list.
    prefetch(deploymentsQuery(workspace, { limit: 100 })).catch(() => undefined),
  ])
  const opened = search.size === 0 ? views.find((view) => view.isDefault) : undefined
  if (opened)
    redirect(routes.allRuns(workspace, { ...Object.fromEntries(new URLSearchParams(opened.query)), view: opened.id }))
  return (
    <Hydrated>
      <PageHeader
        title="Runs"
        actions={
          <>
            <Button asChild>
              <Link href={routes.experiments(workspace)}>Experiments</Link>
            </Button>
            <Button asChild>
              <Link href={routes.openRun(workspace)}>Open a file</Link>
            </Button>
          </>
        }
      />
      <RunsList
        workspace={workspace}
        views={views}
        serverNow={Date.now()}
        empty={
          <EmptyState
            title="No runs yet"
            action={
              <Button asChild>
                <Link href={routes.deployments(workspace)}>Choose a deployment</Link>
              </Button>
            }
          >
            Start one in a deployment.
          </EmptyState>
        }
      />
    </Hydrated>
  )
}

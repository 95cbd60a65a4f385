import type { Metadata } from 'next'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import { PageHeader } from '@/components/shared/layout/page-header'
import { AllTraces } from '@/components/traces/list/all-traces'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listViews } from '@/lib/server/records/saved-views'

export const metadata: Metadata = { title: 'Traces' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/traces'>) {
  const { workspace } = await params
  const isBare = Object.keys(await searchParams).length === 0
  // Optional: the page works without them.
  const views = await listViews(await pageActor(), { workspace, page: 'traces' }).catch(() => [])
  const opened = isBare ? views.find((view) => view.isDefault) : undefined
  if (opened)
    redirect(routes.allTraces(workspace, { ...Object.fromEntries(new URLSearchParams(opened.query)), view: opened.id }))
  return (
    <>
      <PageHeader
        title="Traces"
        actions={
          <Button asChild>
            <Link href={routes.tracingProjects(workspace)}>Projects</Link>
          </Button>
        }
      />
      <AllTraces workspace={workspace} views={views} />
    </>
  )
}

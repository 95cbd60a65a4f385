import type { Metadata } from 'next'
import Link from 'next/link'
import { RunsList } from '@/components/runs/runs-list'
import { Hydrated } from '@/components/shared/hydrated'
import { PageHeader } from '@/components/shared/page-header'
import { Button } from '@/components/ui/button'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { prefetch } from '@/lib/server/prefetch'
import { visibleRecordings } from '../recordings'

export const metadata: Metadata = { title: 'Runs' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/runs'>) {
  const { workspace } = await params
  const { after } = await searchParams
  const [page] = await Promise.all([
    visibleRecordings({ workspace, after: typeof after === 'string' ? after : undefined }),
    // For names only, as the list asks for them.
    prefetch(deploymentsQuery(workspace, { limit: 100 })).catch(() => undefined),
  ])
  return (
    <Hydrated>
      <PageHeader
        title="Runs"
        actions={
          <>
            <Button asChild>
              <Link href={routes.compareRuns(workspace)}>Compare</Link>
            </Button>
            <Button asChild>
              <Link href={routes.openRun(workspace)}>Open a file</Link>
            </Button>
          </>
        }
      />
      <RunsList workspace={workspace} initial={page} serverNow={Date.now()} />
    </Hydrated>
  )
}

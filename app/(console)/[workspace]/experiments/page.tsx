import type { Metadata } from 'next'
import Link from 'next/link'
import { ExperimentsList } from '@/components/runs/experiments/experiments-list'
import { PageHeader } from '@/components/shared/layout/page-header'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'
import { pageActor, pageWorkspace } from '@/lib/server/access/page-actor'
import { listExperiments } from '@/lib/server/records/experiments'

export const metadata: Metadata = { title: 'Experiments' }

const MAX_OFFSET = 100_000

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/experiments'>) {
  const { workspace } = await params
  await pageWorkspace(workspace)
  const { offset, q } = await searchParams
  const from = Math.min(Number(/^\d{1,6}$/.exec(String(offset ?? ''))?.[0] ?? 0), MAX_OFFSET)
  const search = String(q ?? '')
    .trim()
    .slice(0, 100)
  return (
    <>
      <PageHeader
        title="Experiments"
        actions={
          <Button asChild variant="primary">
            <Link href={routes.newExperiment(workspace)}>New experiment</Link>
          </Button>
        }
      />
      <ExperimentsList
        workspace={workspace}
        rows={await listExperiments(await pageActor(), workspace, { offset: from, search })}
        offset={from}
        search={search}
      />
    </>
  )
}

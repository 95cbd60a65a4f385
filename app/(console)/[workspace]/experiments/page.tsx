import type { Metadata } from 'next'
import Link from 'next/link'
import { ExperimentsList } from '@/components/runs/experiments/experiments-list'
import { PageHeader } from '@/components/shared/layout/page-header'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'
import { pageActor, pageWorkspace } from '@/lib/server/access/page-actor'
import { listExperiments } from '@/lib/server/records/experiments'

export const metadata: Metadata = { title: 'Experiments' }

export default async function Page({ params }: PageProps<'/[workspace]/experiments'>) {
  const { workspace } = await params
  await pageWorkspace(workspace)
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
      <ExperimentsList workspace={workspace} rows={await listExperiments(await pageActor(), workspace)} />
    </>
  )
}

import type { Metadata } from 'next'
import { ExperimentPage } from '@/components/runs/experiments/experiment-page'
import { experimentQuery } from '@/components/runs/experiments/experiment-query'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pageActor } from '@/lib/server/access/page-actor'
import { shownExperiment } from '@/lib/server/experiments/run'
import { prefetchRead } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Experiment' }

export default async function Page({ params }: PageProps<'/[workspace]/experiments/[experimentId]'>) {
  const { workspace, experimentId: id } = await params
  const actor = await pageActor()
  await prefetchRead(experimentQuery(workspace, id).queryKey, () => shownExperiment(actor, { workspace, id }))
  return (
    <Hydrated>
      <ExperimentPage workspace={workspace} id={id} />
    </Hydrated>
  )
}

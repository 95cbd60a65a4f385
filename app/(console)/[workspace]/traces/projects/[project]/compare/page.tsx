import type { Metadata } from 'next'
import { CompareTraces } from '@/components/traces/compare/compare-traces'
import { pageActor } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Compare traces' }

export default async function Page({ params }: PageProps<'/[workspace]/traces/projects/[project]/compare'>) {
  const { workspace, project } = await params
  await pageActor()
  return <CompareTraces place={{ workspace, project }} sessions={[project]} />
}

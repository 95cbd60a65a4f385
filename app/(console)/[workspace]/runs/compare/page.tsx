import type { Metadata } from 'next'
import { CompareRuns } from '@/components/runs/compare/compare-runs'
import { PageHeader } from '@/components/shared/layout/page-header'
import { recordingIfAny, visibleRecordings } from '../../recordings'

export const metadata: Metadata = { title: 'Compare runs' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/runs/compare'>) {
  const { workspace } = await params
  const { a, b } = await searchParams
  const [left, right, recent] = await Promise.all([
    typeof a === 'string' ? recordingIfAny(workspace, a) : undefined,
    typeof b === 'string' ? recordingIfAny(workspace, b) : undefined,
    visibleRecordings({ workspace, limit: 50 }),
  ])
  return (
    <>
      <PageHeader title="Compare runs" />
      <CompareRuns workspace={workspace} a={left} b={right} recent={recent.items} serverNow={Date.now()} />
    </>
  )
}

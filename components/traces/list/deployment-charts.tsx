'use client'
import { useSearchParams } from 'next/navigation'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { SpanSelect } from '@/components/shared/list/span-select'
import { usePriceBook } from '@/components/traces/common/cost'
import { traceQueryOf } from '@/components/traces/common/list-query'
import { SPANS } from '@/components/traces/common/span'
import { useProject } from '@/components/traces/common/use-project'
import { ProjectCharts } from './project-charts'

const USUAL = '24h'

/** Runs, errors, latency, tokens and cost of a deployment over time, from its traces. */
export function DeploymentCharts({ workspace, deploymentId }: { workspace: string; deploymentId: string }) {
  const search = useSearchParams()
  const set = useSetSearch()
  const project = useProject(workspace, deploymentId)
  const book = usePriceBook(workspace)
  if (project.state === 'pending') return <LateSkeleton className="h-[7.4rem] w-full" />
  if (project.state === 'none') return <p className="text-ink-3 text-xs">No charts: it has logged no run yet.</p>
  if (project.state === 'failed')
    return ['unsupported', 'not_found'].includes(project.error.code) ? (
      <p className="text-ink-3 text-xs">No charts: this workspace has no tracing server.</p>
    ) : (
      <ErrorNotice error={project.error} onRetry={project.retry} />
    )
  const shown = search.has('since') || search.has('from') ? search : new URLSearchParams({ since: USUAL })
  const { span, totals, models } = traceQueryOf(shown, [project.session], Date.now())
  return (
    <div>
      <div className="mb-2">
        <SpanSelect search={search} spans={SPANS} usual={USUAL} onSet={set} />
      </div>
      <ProjectCharts workspace={workspace} span={span} totals={totals} models={models} book={book} />
    </div>
  )
}

'use client'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { SpanSelect } from '@/components/shared/list/span-select'
import { usePriceBook } from '@/components/traces/common/cost'
import { traceQueryOf } from '@/components/traces/common/list-query'
import { SPANS } from '@/components/traces/common/span'
import { count } from '@/lib/format/format'
import { MAX_PROJECTS, tracingProjectsQuery } from '@/lib/queries/traces'
import { ProjectCharts } from './project-charts'

/** Runs, errors, latency, tokens and cost of all tracing projects of a workspace over time. */
export function WorkspaceCharts({ workspace }: { workspace: string }) {
  const search = useSearchParams()
  const set = useSetSearch()
  const book = usePriceBook(workspace)
  const options = tracingProjectsQuery(workspace)
  const result = useQuery(options)
  const { data } = result
  const error = result.error ?? result.failureReason
  const retry = useTryAgain(options.queryKey)
  if (error?.code === 'unsupported' || error?.code === 'not_found')
    return <p className="mb-4 text-ink-3 text-xs">No charts: this workspace has no tracing server.</p>
  if (error && !data) return <ErrorNotice error={error.view} onRetry={retry} className="mb-4" />
  if (!data) return <LateSkeleton className="mb-4 h-[7.4rem] w-full" />
  if (data.length === 0)
    return <p className="mb-4 text-ink-3 text-xs">No charts: no deployment has logged a run yet.</p>
  const { span, totals, models } = traceQueryOf(
    search,
    data.map(({ id }) => id),
    Date.now(),
  )
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <SpanSelect search={search} spans={SPANS} usual="7d" onSet={set} />
        <p className="text-ink-3 text-xs">
          From the traces of {data.length === 1 ? 'one project' : `${data.length} projects`}
          {data.length >= MAX_PROJECTS ? `, the first ${count(MAX_PROJECTS)}` : ''}
        </p>
      </div>
      <ProjectCharts workspace={workspace} span={span} totals={totals} models={models} book={book} />
    </>
  )
}

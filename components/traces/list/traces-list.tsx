'use client'

import { useQuery } from '@tanstack/react-query'
import { FileSearch } from 'lucide-react'
import Link from 'next/link'
import { type ReactNode, useMemo, useState } from 'react'
import { FoldedCharts } from '@/components/shared/chart/folded-charts'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { CursorPager } from '@/components/shared/list/cursor-pager'
import { ListPage } from '@/components/shared/list/list-page'
import { SpanSelect } from '@/components/shared/list/span-select'
import { useList } from '@/components/shared/list/use-list'
import { usePriceBook } from '@/components/traces/common/cost'
import {
  costPrices,
  costRangeOf,
  filtersWith,
  PAGE_SIZES,
  traceList,
  traceQueryOf,
} from '@/components/traces/common/list-query'
import { SPANS } from '@/components/traces/common/span'
import { traceHref } from '@/components/traces/common/traces-place'
import type { NamedProject } from '@/components/traces/common/use-projects'
import { useRunStatuses } from '@/components/traces/common/use-run-statuses'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { TRACE_GROUPS } from '@/lib/contracts/traces/groups'
import type { TracesPlace } from '@/lib/contracts/wire/places'
import type { SavedView } from '@/lib/lists/saved'
import { traceFacetsQuery, traceRunsQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import { ProjectCharts } from './project-charts'
import { rowOf, traceColumns, traceColumnsOf } from './trace-columns'
import { TraceGroups } from './trace-groups'

type Props = {
  place: TracesPlace
  /** The projects whose traces are listed. */
  sessions: readonly string[]
  /** All projects, for a list of several. */
  projects?: readonly NamedProject[]
  views: readonly SavedView[]
  /** Shown if nothing has been logged. */
  hint: string
  /** In place of an empty list. */
  instead?: ReactNode
}

const NONE: never[] = []

/** Tracing projects: charts over time, and their traces or all runs of these. */
export function TracesList({ place, sessions, projects, views, hint, instead }: Props) {
  const { workspace } = place
  const list = useList(traceList, { workspace, views })
  const { search, set } = list
  const now = Date.now()
  const book = usePriceBook(workspace)
  const isByCost = costRangeOf(search) !== undefined
  const [isFiltering, setFiltering] = useState(false)
  const { session, start_time, end_time } = traceQueryOf(search, sessions, now).totals
  const facets = useQuery({
    ...traceFacetsQuery(workspace, { session, start_time, ...(end_time && { end_time }) }),
    enabled: isFiltering || isByCost,
  })
  const known = facets.data?.facets
  // Without prices, runs by cost would be those with a logged cost only.
  const isWaiting = isByCost && (!book || facets.isPending)
  const asked = traceQueryOf(search, sessions, now, isByCost ? costPrices(known?.model ?? [], book) : [])
  const { isRoots, isFiltered, trail, size, span } = asked
  const options = traceRunsQuery(workspace, asked.runs, trail.length === 0)
  const result = useQuery({ ...options, enabled: !isWaiting })
  const { data, error, failureReason } = result
  const read = useMemo(() => data?.runs.map((run) => rowOf(run, book)), [data, book])
  const statusOf = useRunStatuses(place, read ?? NONE)
  const rows = read?.map((row) => ({ ...row, outcome: statusOf(row) }))
  const isFailed = Boolean(error ?? failureReason) && !rows
  const by = TRACE_GROUPS.find((one) => one === search.get('group'))
  const isWide = span.value === '30d' || span.value === 'custom'
  return (
    <ListPage
      label={isRoots ? 'Traces' : 'Runs in traces'}
      list={list}
      filters={filtersWith(projects, known)}
      onFilter={() => setFiltering(true)}
      tools={
        <>
          <Select
            aria-label="List"
            className="w-auto"
            value={isRoots ? '' : 'all'}
            onChange={({ target }) => set({ runs: target.value, ...(target.value === '' && { type: '' }) })}
          >
            <option value="">Traces</option>
            <option value="all">All runs</option>
          </Select>
          <Select
            aria-label="Group by"
            className="w-auto"
            value={by ?? ''}
            onChange={({ target }) => set({ group: target.value })}
          >
            <option value="">No groups</option>
            <option value="model">By model</option>
            <option value="name">By name</option>
            <option value="tag">By tag</option>
          </Select>
          <SpanSelect search={search} spans={SPANS} usual="7d" onSet={set} />
        </>
      }
      verbs={
        <Button asChild variant="ghost">
          <Link href={routes.checkTrace(workspace)}>
            <FileSearch aria-hidden />
            Format checker
          </Link>
        </Button>
      }
      above={
        // If the runs cannot be read, neither can the totals; the error below is shown once.
        isFailed || isWaiting ? null : (
          <>
            <FoldedCharts show="Show charts" hide="Hide charts">
              <ProjectCharts
                workspace={workspace}
                span={span}
                totals={asked.totals}
                models={asked.models}
                book={book}
              />
            </FoldedCharts>
            {by ? (
              <TraceGroups
                {...{ workspace, by, book }}
                body={by === 'model' ? asked.models : asked.totals}
                onOpen={(value) => set({ [by]: value, group: '' })}
              />
            ) : null}
          </>
        )
      }
      reading={{ result, queryKey: options.queryKey }}
      rows={rows}
      columns={projects ? traceColumnsOf(projects) : traceColumns}
      rowKey={(one) => one.id}
      rowHref={({ id, trace, project }) =>
        traceHref(projects && project ? { workspace, project } : place, trace ?? id, {
          run: trace && trace !== id ? id : undefined,
        })
      }
      pendingRows={10}
      isNarrowed={isFiltered || trail.length > 0}
      empty={
        instead ?? (
          <EmptyState
            title="No traces in this period"
            action={isWide ? null : <Button onClick={() => set({ since: '30d' })}>Last 30 days</Button>}
          >
            {hint}
          </EmptyState>
        )
      }
      pager={
        rows ? (
          <CursorPager
            trail={trail}
            next={data?.cursors?.next ?? undefined}
            count={rows.length}
            size={size}
            sizes={PAGE_SIZES}
            isLoading={result.isPlaceholderData}
            onMove={(after) => set({ after })}
            onSize={(limit) => set({ limit })}
          />
        ) : null
      }
    />
  )
}

'use client'

import { useQuery } from '@tanstack/react-query'
import { FileSearch } from 'lucide-react'
import Link from 'next/link'
import { useMemo } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ListPage } from '@/components/shared/list/list-page'
import { useList } from '@/components/shared/list/use-list'
import { usePriceBook } from '@/components/traces/common/cost'
import { FILTERS, traceList, traceQueryOf } from '@/components/traces/common/list-query'
import { useRunStatuses } from '@/components/traces/common/use-run-statuses'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import type { SavedView } from '@/lib/lists/saved'
import { traceRunsQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import { CursorPager } from './cursor-pager'
import { ProjectCharts } from './project-charts'
import { SpanSelect } from './span-select'
import { rowOf, traceColumns } from './trace-columns'

type Props = { workspace: string; deploymentId: string; session: string; views: readonly SavedView[] }

const NONE: never[] = []

/** A tracing project: charts over time, and its traces or all their runs. */
export function TracesList({ workspace, deploymentId, session, views }: Props) {
  const list = useList(traceList, { workspace, views })
  const { search, set } = list
  const asked = traceQueryOf(search, [session], Date.now())
  const { isRoots, isFiltered, trail, size, span } = asked
  const options = traceRunsQuery(workspace, asked.runs, trail.length === 0)
  const result = useQuery(options)
  const { data, error, failureReason } = result
  const book = usePriceBook(workspace)
  const read = useMemo(() => data?.runs.map((run) => rowOf(run, book)), [data, book])
  const statusOf = useRunStatuses({ workspace, deploymentId }, read ?? NONE)
  const rows = read?.map((row) => ({ ...row, outcome: statusOf(row) }))
  const isFailed = Boolean(error ?? failureReason) && !rows
  const isWide = span.value === '30d' || span.value === 'custom'
  return (
    <ListPage
      label={isRoots ? 'Traces' : 'Runs in traces'}
      list={list}
      filters={FILTERS}
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
          <SpanSelect search={search} onSet={set} />
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
        isFailed ? null : (
          <ProjectCharts workspace={workspace} span={span} totals={asked.totals} models={asked.models} book={book} />
        )
      }
      reading={{ result, queryKey: options.queryKey }}
      rows={rows}
      columns={traceColumns}
      rowKey={(one) => one.id}
      rowHref={({ id, trace }) =>
        routes.trace(workspace, deploymentId, trace ?? id, { run: trace && trace !== id ? id : undefined })
      }
      pendingRows={10}
      isNarrowed={isFiltered || trail.length > 0}
      empty={
        <EmptyState
          title="No traces in this period"
          action={isWide ? null : <Button onClick={() => set({ since: '30d' })}>Last 30 days</Button>}
        >
          Every run of the deployment is traced. Start one with the button above.
        </EmptyState>
      }
      pager={
        rows ? (
          <CursorPager
            trail={trail}
            next={data?.cursors?.next ?? undefined}
            count={rows.length}
            size={size}
            isLoading={result.isPlaceholderData}
            onMove={(after) => set({ after })}
            onSize={(limit) => set({ limit })}
          />
        ) : null
      }
    />
  )
}

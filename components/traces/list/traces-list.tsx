'use client'

import { useQuery } from '@tanstack/react-query'
import { FileSearch } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useTryAgain } from '@/components/shared/feedback/use-try-again'
import { DataTable } from '@/components/shared/list/data-table'
import { FilterChips } from '@/components/shared/list/filter-chips'
import { SavedViews } from '@/components/shared/list/saved-views'
import { SearchBox } from '@/components/shared/list/search-box'
import { useListSearch } from '@/components/shared/list/use-list-search'
import type { ViewActions } from '@/components/shared/list/view-types'
import { usePriceBook } from '@/components/traces/common/cost'
import { FILTERS, NO_FILTER, traceChips, traceQueryOf, viewQueryOf } from '@/components/traces/common/list-query'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { deleteView, saveView, updateView } from '@/lib/actions/saved-views'
import type { SavedView } from '@/lib/lists/saved-views'
import { traceRunsQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import { CursorPager } from './cursor-pager'
import { ProjectCharts } from './project-charts'
import { SpanSelect } from './span-select'
import { rowOf, traceColumns } from './trace-columns'

type Props = { workspace: string; deployment: string; session: string; views: readonly SavedView[] }

/** A tracing project: its figures over time, and its traces, or all the runs in them, as the URL asks. */
export function TracesList({ workspace, deployment, session, views: initialViews }: Props) {
  const search = useSearchParams()
  const [views, setViews] = useState(initialViews)
  const setSearch = useListSearch(views, viewQueryOf)
  const viewActions = useMemo(() => viewActionsOf(workspace), [workspace])
  const asked = traceQueryOf(search, session, Date.now())
  const { isRoots, isFiltered, trail, size, span } = asked
  const query = traceRunsQuery(workspace, asked.runs, trail.length === 0)
  const list = useQuery(query)
  const book = usePriceBook(workspace)
  const rows = useMemo(() => list.data?.runs.map((run) => rowOf(run, book)), [list.data, book])
  const error = list.error ?? list.failureReason
  const retry = useTryAgain(query.queryKey)
  const kept = viewQueryOf(search)
  const clear = () => setSearch({ ...NO_FILTER, runs: search.get('runs') ?? '', view: '' })
  const isWide = span.value === '30d' || span.value === 'custom'
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <div className="w-full sm:w-72">
          <SearchBox
            label="Search what was logged"
            className="sm:w-full"
            value={search.get('q') ?? ''}
            onChange={(q) => setSearch({ q })}
          />
        </div>
        <Select
          aria-label="What is listed"
          className="w-auto"
          value={isRoots ? '' : 'all'}
          onChange={({ target }) => setSearch({ runs: target.value, ...(target.value === '' && { type: '' }) })}
        >
          <option value="">Traces</option>
          <option value="all">All runs in them</option>
        </Select>
        <SpanSelect search={search} onSet={setSearch} />
        <SavedViews
          noun="traces"
          actions={viewActions}
          views={views}
          current={views.find(({ id }) => id === search.get('view'))}
          query={kept}
          onViews={setViews}
          onOpen={(view) =>
            setSearch({
              ...{ ...NO_FILTER, runs: '', since: '', from: '', to: '', limit: '', view: view?.id ?? '' },
              ...(view && Object.fromEntries(new URLSearchParams(view.query))),
            })
          }
        />
        <FilterChips
          filters={FILTERS}
          chips={traceChips(search)}
          onSet={(name, value) => setSearch({ [name]: value })}
          onClear={() => setSearch({ ...NO_FILTER, q: search.get('q') ?? '' })}
        />
        <Button asChild variant="ghost" className="ml-auto">
          <Link href={routes.checkTrace(workspace)}>
            <FileSearch aria-hidden />
            Format checker
          </Link>
        </Button>
      </div>
      {/* Where the runs cannot be read, the totals cannot either: said once, below. */}
      {error && !rows ? null : (
        <ProjectCharts workspace={workspace} span={span} totals={asked.totals} models={asked.models} book={book} />
      )}
      {error && rows ? <StaleNotice {...error.view} at={list.dataUpdatedAt} onRetry={retry} /> : null}
      {error && !rows ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label={isRoots ? 'Traces' : 'Runs in traces'}
          columns={traceColumns}
          rows={rows}
          rowKey={(one) => one.id}
          rowHref={({ id, trace }) =>
            routes.trace(workspace, deployment, trace ?? id, { run: trace && trace !== id ? id : undefined })
          }
          pendingRows={10}
          empty={
            isFiltered || trail.length > 0 ? (
              <EmptyState title="Nothing matches" action={<Button onClick={clear}>Clear the filters</Button>}>
                Nothing that was logged in this time fits all the filters above.
              </EmptyState>
            ) : (
              <EmptyState
                title="Nothing was logged in this time"
                action={isWide ? null : <Button onClick={() => setSearch({ since: '30d' })}>Last 30 days</Button>}
              >
                Every run of the deployment is logged here by itself: start one with the button above.
              </EmptyState>
            )
          }
        />
      )}
      {rows ? (
        <CursorPager
          trail={trail}
          next={list.data?.cursors?.next ?? undefined}
          count={rows.length}
          size={size}
          isLoading={list.isPlaceholderData}
          onMove={(after) => setSearch({ after })}
          onSize={(limit) => setSearch({ limit })}
        />
      ) : null}
    </>
  )
}

const viewActionsOf = (workspace: string): ViewActions => {
  const place = { workspace, page: 'traces' } as const
  return {
    save: (view) => saveView({ ...place, ...view }),
    update: (view) => updateView({ ...place, ...view }),
    remove: (view) => deleteView({ ...place, ...view }),
  }
}

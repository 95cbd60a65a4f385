'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LostNotice } from '@/components/shared/feedback/lost-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useTryAgain } from '@/components/shared/feedback/use-try-again'
import { useReasons } from '@/components/shared/layout/rights'
import { DataTable } from '@/components/shared/list/data-table'
import { FilterChips } from '@/components/shared/list/filter-chips'
import { ListPager } from '@/components/shared/list/list-pager'
import { SavedViews } from '@/components/shared/list/saved-views'
import { SearchBox } from '@/components/shared/list/search-box'
import { useListSearch } from '@/components/shared/list/use-list-search'
import { useRowKeys } from '@/components/shared/list/use-row-keys'
import { useSelection } from '@/components/shared/list/use-selection'
import type { ViewActions } from '@/components/shared/list/view-types'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { deleteView, saveView, updateView } from '@/lib/actions/saved-views'
import { agentServer } from '@/lib/contracts/agent-server'
import { pageOf } from '@/lib/lists/anchored-page'
import type { SavedView } from '@/lib/lists/saved-views'
import { apiQuery } from '@/lib/queries/api-query'
import { threadsQuery } from '@/lib/queries/threads'
import { routes } from '@/lib/routes'
import { FILTERS, NO_FILTER, PAGE_SIZES, SORTS, threadChips, threadQueryOf, viewQueryOf } from './list-query'
import { rowOf, threadColumns } from './thread-columns'
import { ThreadsBar } from './threads-bar'

const CreateThread = dynamic(() => import('./create-thread').then((module) => module.CreateThread), { ssr: false })

type Props = { workspace: string; deployment: string; views: readonly SavedView[] }

/** Threads of a deployment, searched on the server; their values are never asked for. */
export function ThreadsList({ workspace, deployment, views: initialViews }: Props) {
  const search = useSearchParams()
  const [views, setViews] = useState(initialViews)
  const setSearch = useListSearch(views, viewQueryOf)
  const viewActions = useMemo(() => viewActionsOf(workspace), [workspace])
  const { body, filters, sort, wish, isCounted, isFiltered, problem } = threadQueryOf(search)
  const list = useQuery({ ...threadsQuery(workspace, deployment, body), enabled: !problem })
  // Servers that cannot count leave the total out.
  const total = useQuery({
    ...apiQuery(agentServer.countThreads, { workspace, deployment, body: filters }),
    enabled: !problem && isCounted,
    retry: false,
    placeholderData: keepPreviousData,
  })
  const [{ data: read }, wishText] = [list, JSON.stringify(wish)]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wish goes by its text
  const page = useMemo(() => read && pageOf(wish, { from: body.offset, rows: read.map(rowOf) }), [read, wishText])
  const rows = page?.rows ?? NONE
  const kept = viewQueryOf(search)
  const selection = useSelection(rows, kept)
  const columns = useMemo(() => threadColumns({ rows, selection }), [rows, selection])
  useRowKeys({ onSelect: (id) => selection.toggle(id, false) })
  const error = list.error ?? list.failureReason
  const retry = useTryAgain(threadsQuery(workspace, deployment, body).queryKey)
  const showAll = () => setSearch({ ...NO_FILTER, sort: '', view: '' })
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <div className="w-full sm:w-80">
          <SearchBox
            label="Search by id or metadata"
            className="sm:w-full"
            value={search.get('q') ?? ''}
            isInvalid={!!problem}
            onChange={(q) => setSearch({ q })}
          />
          {problem ? (
            <p role="alert" className="mt-1 text-error text-xs">
              {problem}
            </p>
          ) : null}
        </div>
        <Select
          aria-label="Order"
          className="w-auto"
          value={sort}
          onChange={({ target }) => setSearch({ sort: target.value === SORTS[0].value ? '' : target.value })}
        >
          {SORTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <SavedViews
          noun="threads"
          actions={viewActions}
          views={views}
          current={views.find(({ id }) => id === search.get('view'))}
          query={kept}
          onViews={setViews}
          onOpen={(view) =>
            view ? setSearch({ ...NO_FILTER, sort: '', limit: '', ...paramsOf(view.query), view: view.id }) : showAll()
          }
        />
        <FilterChips
          filters={FILTERS}
          chips={threadChips(search)}
          onSet={(name, value) => setSearch({ [name]: value })}
          onClear={() => setSearch({ ...NO_FILTER, q: search.get('q') ?? '' })}
        />
        <NewThread workspace={workspace} deployment={deployment} />
      </div>
      {error && read ? <StaleNotice {...error.view} at={list.dataUpdatedAt} onRetry={retry} /> : null}
      {page?.isLost && !list.isPlaceholderData ? <LostNotice onFirst={() => setSearch({ offset: '' })} /> : null}
      {error && !read && !problem ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label="Threads"
          columns={columns}
          rows={problem ? NONE : page?.rows}
          rowKey={(one) => one.id}
          rowHref={(one) => routes.thread(workspace, deployment, one.id)}
          isMarked={(one) => selection.has(one.id)}
          pendingRows={10}
          empty={
            isFiltered || problem || wish.offset > 0 ? (
              <EmptyState title="No thread matches" action={<Button onClick={showAll}>Clear the filters</Button>}>
                {wish.offset > 0 ? 'This page lies beyond the last one.' : 'Nothing here fits all the filters above.'}
              </EmptyState>
            ) : (
              <EmptyState title="No threads yet">
                A run makes one, unless it is stateless: start a run with the button above.
              </EmptyState>
            )
          }
        />
      )}
      <ThreadsBar
        workspace={workspace}
        deployment={deployment}
        selection={selection}
        onPage={(id) => rows.some((row) => row.id === id)}
      />
      {page && !problem ? (
        <ListPager
          page={page}
          size={wish.size}
          sizes={PAGE_SIZES}
          total={isCounted ? total.data : undefined}
          isLoading={list.isPlaceholderData}
          onMove={setSearch}
          onSize={(limit) => setSearch({ limit })}
        />
      ) : null}
    </>
  )
}

const NONE: never[] = []
const paramsOf = (query: string) => Object.fromEntries(new URLSearchParams(query))

const viewActionsOf = (workspace: string): ViewActions => {
  const place = { workspace, page: 'threads' } as const
  return {
    save: (view) => saveView({ ...place, ...view }),
    update: (view) => updateView({ ...place, ...view }),
    remove: (view) => deleteView({ ...place, ...view }),
  }
}

function NewThread({ workspace, deployment }: { workspace: string; deployment: string }) {
  const whyNot = useReasons().run
  const [isOpen, setOpen] = useState(false)
  return (
    <span className="ml-auto">
      <Button reason={whyNot} onClick={() => setOpen(true)}>
        <Plus aria-hidden />
        New thread
      </Button>
      {isOpen ? <CreateThread workspace={workspace} deployment={deployment} onClose={() => setOpen(false)} /> : null}
    </span>
  )
}

'use client'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useEffect, useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LostNotice } from '@/components/shared/feedback/lost-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useTryAgain } from '@/components/shared/feedback/use-try-again'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useReasons } from '@/components/shared/layout/rights'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { DataTable } from '@/components/shared/list/data-table'
import { FilterChips } from '@/components/shared/list/filter-chips'
import { chipsOf } from '@/components/shared/list/filters'
import { ListPager } from '@/components/shared/list/list-pager'
import { SavedViews } from '@/components/shared/list/saved-views'
import { SearchBox } from '@/components/shared/list/search-box'
import { useListSearch } from '@/components/shared/list/use-list-search'
import { useRowKeys } from '@/components/shared/list/use-row-keys'
import { useSelection } from '@/components/shared/list/use-selection'
import type { ViewActions } from '@/components/shared/list/view-types'
import { Button } from '@/components/ui/button'
import { deleteView, saveView, updateView } from '@/lib/actions/saved-views'
import { SLACK } from '@/lib/lists/anchored-page'
import type { SavedView } from '@/lib/lists/saved-views'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { BulkBar } from './bulk-bar'
import { deploymentColumns } from './columns'
import { ExportButton } from './export-button'
import { FILTERS, isFiltered, listQueryOf, NO_FILTER, PAGE_SIZES, toView, viewQueryOf } from './list-query'

const PeekPanel = dynamic(() => import('./peek-panel').then((module) => module.PeekPanel), { ssr: false })

type Props = { workspace: string; views: readonly SavedView[] }

export function DeploymentsPage({ workspace, views: initialViews }: Props) {
  const search = useSearchParams()
  const query = listQueryOf(search)
  const options = deploymentRowsQuery(workspace, query)
  const { problem, refetchInterval } = useLiveQuery(
    { kind: 'deployments', workspace, query: query as Record<string, string | number | boolean> },
    options.queryKey,
  )
  const list = useQuery({ ...options, refetchInterval })
  const { data, dataUpdatedAt, isPlaceholderData } = list
  // While it is tried again the first failure is said already: a server that hangs takes minutes to fail for good.
  const error = list.error ?? list.failureReason
  const message = error?.view.message ?? problem?.message
  const retry = useTryAgain(options.queryKey)

  const [views, setViews] = useState(initialViews)
  const viewActions = useMemo(() => viewActionsOf(workspace), [workspace])
  const kept = viewQueryOf(search)
  const setSearch = useSetSearch()
  const set = useListSearch(views, viewQueryOf)
  const setLocal = useSetSearch({ isLocal: true })
  const showAll = () => set({ ...NO_FILTER, view: '' })

  const rows = data?.rows ?? NONE
  const selection = useSelection(rows, kept)
  const columns = useMemo(() => deploymentColumns({ rows, selection }), [rows, selection])
  const peeked = rows.find(({ id }) => id === search.get('peek'))
  const peek = (id: string) => setLocal({ peek: id })
  useRowKeys({
    onSelect: (id) => selection.toggle(id, false),
    onPeek: (id) => peek(id === peeked?.id ? '' : id),
    onFocus: (id) => {
      if (peeked && peeked.id !== id) peek(id)
    },
    onEscape: () => {
      if (peeked) peek('')
      return peeked !== undefined
    },
  })
  useKeptInSight(query, isPlaceholderData ? undefined : data?.offset, setSearch)

  return (
    <>
      <PageHeader title="Deployments" actions={<Verbs workspace={workspace} kept={kept} />} />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchBox
          label="Search by name"
          value={search.get('name_contains') ?? ''}
          onChange={(value) => set({ name_contains: value })}
        />
        <SavedViews
          noun="deployments"
          actions={viewActions}
          views={views}
          current={views.find(({ id }) => id === search.get('view'))}
          query={kept}
          onViews={setViews}
          onOpen={(view) => (view ? setSearch(toView(view.query, view.id)) : showAll())}
        />
        <FilterChips
          filters={FILTERS}
          chips={chipsOf(FILTERS, search)}
          onSet={(name, value) => set({ [name]: value })}
          onClear={() => set({ ...NO_FILTER, name_contains: search.get('name_contains') ?? '' })}
        />
      </div>
      {message && data ? <StaleNotice message={message} code={error?.code} at={dataUpdatedAt} onRetry={retry} /> : null}
      {data?.isLost && !isPlaceholderData ? <LostNotice onFirst={() => set({ offset: '' })} /> : null}
      {error && !data ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label="Deployments"
          columns={columns}
          rows={data?.rows}
          rowKey={(one) => one.id}
          rowHref={(one) => routes.deployment(workspace, one.id)}
          isMarked={(one) => selection.has(one.id) || one.id === peeked?.id}
          pendingRows={10}
          empty={<Empty isFiltered={isFiltered(search)} isBeyond={query.offset > 0} onAll={showAll} />}
        />
      )}
      <BulkBar workspace={workspace} selection={selection} onPage={(id) => rows.some((row) => row.id === id)} />
      {data ? (
        <ListPager
          page={data}
          size={query.limit}
          sizes={PAGE_SIZES}
          isLoading={isPlaceholderData}
          onMove={set}
          onSize={(limit) => set({ limit })}
        />
      ) : null}
      {peeked ? <PeekPanel workspace={workspace} row={peeked} onClose={() => peek('')} /> : null}
    </>
  )
}

const NONE: never[] = []

const viewActionsOf = (workspace: string): ViewActions => {
  const place = { workspace, page: 'deployments' } as const
  return {
    save: (view) => saveView({ ...place, ...view }),
    update: (view) => updateView({ ...place, ...view }),
    remove: (view) => deleteView({ ...place, ...view }),
  }
}

function Verbs({ workspace, kept }: { workspace: string; kept: string }) {
  const reason = useReasons().administer
  const { limit: _, ...filters } = Object.fromEntries(new URLSearchParams(kept))
  return (
    <>
      <ExportButton workspace={workspace} query={filters} />
      {reason ? (
        <Button variant="primary" reason={reason}>
          <Plus aria-hidden />
          New deployment
        </Button>
      ) : (
        <Button asChild variant="primary">
          <Link href={routes.newDeployment(workspace)}>
            <Plus aria-hidden />
            New deployment
          </Link>
        </Button>
      )}
    </>
  )
}

type EmptyProps = { isFiltered: boolean; isBeyond: boolean; onAll: () => void }

const Empty = ({ isFiltered, isBeyond, onAll }: EmptyProps) =>
  isFiltered || isBeyond ? (
    <EmptyState title="No deployment matches" action={<Button onClick={onAll}>Show all deployments</Button>}>
      {isBeyond
        ? 'This page lies beyond the last one.'
        : 'None fits all the filters above. Names match anywhere in the text.'}
    </EmptyState>
  ) : (
    <EmptyState title="No deployments yet">
      The first one takes a repository or an image; it appears here with its first revision rolling out.
    </EmptyState>
  )

/** A page that follows its neighbours drifts as rows come and go above it: its URL goes along before they are out of sight. */
function useKeptInSight(
  { offset, after, before }: ReturnType<typeof listQueryOf>,
  now: number | undefined,
  set: (change: Record<string, string>) => void,
) {
  const isFar = now !== undefined && Boolean(after ?? before) && Math.abs(now - offset) >= SLACK / 2
  useEffect(() => {
    if (isFar) set({ offset: String(now), after: after ?? '', before: before ?? '' })
  }, [isFar, now, after, before, set])
}

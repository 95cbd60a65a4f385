'use client'
import type { QueryKey } from '@tanstack/react-query'
import type { Route } from 'next'
import type { ReactNode } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import type { ErrorView, LiveError } from '@/lib/errors'
import { type Column, DataTable, type DataTableProps } from './data-table'
import { FilterChips } from './filter-chips'
import { chipsOf, type FilterDefinition } from './filters'
import { SearchBox } from './search-box'
import { selectColumn } from './select-column'
import { type SelectionAction, SelectionBar } from './selection-bar'
import type { List } from './use-list'
import { useRowKeys } from './use-row-keys'
import type { Selected, Selection } from './use-selection'
import { SavedViews } from './views/saved-views'

/** The query for the rows. Absent if a server component has read them. */
type Reading = {
  queryKey: QueryKey
  result: {
    data: unknown
    error: { view: ErrorView } | null
    failureReason: { view: ErrorView } | null
    dataUpdatedAt: number
    isPlaceholderData: boolean
  }
  /** Why live updates have stopped. */
  liveProblem?: LiveError
}

type ListPageProps<Row> = {
  /** Names the table to screen readers. */
  label: string
  /** The list's URL state; without it there is no toolbar. */
  list?: List
  filters?: readonly FilterDefinition[]
  /** The form of a filter opens; values to suggest can be read now. */
  onFilter?: () => void
  /** Why the search is invalid. Shown below its field, and no rows are listed. */
  searchProblem?: string
  reading?: Reading
  rows: readonly Row[] | undefined
  columns: Column<Row>[]
  rowKey: (row: Row) => string
  rowHref?: (row: Row) => Route
  /** The row that is open next to the list. */
  openKey?: string
  rowKeys?: Omit<Parameters<typeof useRowKeys>[0], 'onSelect'>
  pendingRows?: number
  sorting?: DataTableProps<Row>['sorting']
  /** A heading above neighbouring rows that have it in common. */
  headingOf?: (row: Row) => string
  selection?: {
    label: string
    of: Selection
    /** The selectable rows of this page. */
    selectable: readonly Selected[]
    actions: readonly SelectionAction[]
  }
  /** Shown if no items exist. */
  empty: ReactNode
  /** Whether filters, or a later page, may be why there are no rows. */
  isNarrowed?: boolean
  /** The page is past the end of the list. */
  isBeyond?: boolean
  /** The rows that this page was anchored to are gone. */
  isLost?: boolean

  header?: ReactNode
  /** Next to the search: other controls that choose the rows. */
  tools?: ReactNode
  /** At the end of the toolbar: buttons to create something. */
  verbs?: ReactNode
  /** Between the toolbar and the rows. */
  above?: ReactNode
  /** To the left of the rows. */
  aside?: ReactNode
  pager?: ReactNode
  /** Dialogs and panels over the list. */
  children?: ReactNode
}

/** A list page: toolbar, notices, table, selection and pager. Each page passes its columns, query and slots. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { header, above, aside, children } = props
  return (
    <>
      {header}
      {props.list ? <Toolbar {...props} list={props.list} /> : null}
      {above}
      {aside ? (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 md:grid-cols-[minmax(11rem,16rem)_minmax(0,1fr)]">
          {aside}
          <div className="min-w-0">
            <Rows {...props} />
          </div>
        </div>
      ) : (
        <Rows {...props} />
      )}
      {children}
    </>
  )
}

type ToolbarProps = Pick<ListPageProps<never>, 'filters' | 'onFilter' | 'searchProblem' | 'tools' | 'verbs'> & {
  list: List
}

function Toolbar({ list, filters, onFilter, searchProblem, tools, verbs }: ToolbarProps) {
  const { definition, search, set, savedViews } = list
  const { search: box, sorts, noFilter } = definition
  return (
    <div className="mb-3 flex flex-wrap items-start gap-2">
      {box ? (
        <div className={`w-full ${box.className ?? 'sm:w-72'}`}>
          <SearchBox
            label={box.label}
            className="sm:w-full"
            value={search.get(box.name) ?? ''}
            isInvalid={searchProblem !== undefined}
            onChange={(value) => set({ [box.name]: value })}
          />
          {searchProblem ? (
            <p role="alert" className="mt-1 text-error text-xs">
              {searchProblem}
            </p>
          ) : null}
        </div>
      ) : null}
      {tools}
      {sorts ? <SortSelect sorts={sorts} value={search.get('sort')} onChange={(sort) => set({ sort })} /> : null}
      {savedViews ? <SavedViews {...savedViews} /> : null}
      {filters ? (
        <FilterChips
          filters={filters}
          chips={chipsOf(filters, search)}
          onOpen={onFilter}
          onSet={(name, value) => set({ [name]: value })}
          onClear={() => set({ ...noFilter, ...(box && { [box.name]: search.get(box.name) ?? '' }) })}
        />
      ) : null}
      {verbs ? <span className="ml-auto">{verbs}</span> : null}
    </div>
  )
}

type SortSelectProps = {
  sorts: NonNullable<List['definition']['sorts']>
  value: string | null
  onChange: (sort: string) => void
}

const SortSelect = ({ sorts, value, onChange }: SortSelectProps) => (
  <Select
    aria-label="Order"
    className="w-auto"
    value={sorts.some((one) => one.value === value) ? (value ?? '') : sorts[0]?.value}
    onChange={({ target }) => onChange(target.value === sorts[0]?.value ? '' : target.value)}
  >
    {sorts.map((one) => (
      <option key={one.value} value={one.value}>
        {one.label}
      </option>
    ))}
  </Select>
)

function Rows<Row>(props: ListPageProps<Row>) {
  const { label, list, searchProblem, reading, columns, rowKey, openKey, selection, isLost, pager } = props
  const rows = searchProblem ? [] : props.rows
  const retry = useTryAgain(reading?.queryKey ?? [])
  const hasBoxes = selection && (!rows || selection.selectable.length > 0 || selection.of.selected.length > 0)
  useRowKeys({ ...props.rowKeys, onSelect: selection && ((id) => selection.of.toggle(id, false)) })
  const result = reading?.result
  // The first failure is shown during retries, because a hanging server takes minutes to fail for good.
  const error = result?.error ?? result?.failureReason
  const failure = error?.view ?? reading?.liveProblem
  const isFailed = failure && !result?.data && !searchProblem
  const stale = result && staleOf({ ...result, error: error ?? null }, reading?.liveProblem)
  return (
    <>
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      {isLost && !result?.isPlaceholderData ? <LostNotice onFirst={() => list?.set({ offset: '' })} /> : null}
      {isFailed ? (
        <ErrorNotice error={failure} onRetry={retry} />
      ) : (
        <DataTable
          label={label}
          className={stale && STALE_STYLE}
          columns={hasBoxes ? [selectColumn(rows, rowKey, selection.selectable, selection.of), ...columns] : columns}
          rows={rows}
          rowKey={rowKey}
          rowHref={props.rowHref}
          isMarked={(row) => rowKey(row) === openKey || (selection?.of.has(rowKey(row)) ?? false)}
          pendingRows={props.pendingRows}
          headingOf={props.headingOf}
          sorting={props.sorting}
          empty={
            list && (props.isNarrowed || props.isBeyond || searchProblem) ? (
              <NoMatch {...props} list={list} />
            ) : (
              props.empty
            )
          }
        />
      )}
      {selection ? (
        <SelectionBar
          label={selection.label}
          selection={selection.of}
          isOnPage={(id) => rows?.some((row) => rowKey(row) === id) ?? false}
          actions={selection.actions}
        />
      ) : null}
      {searchProblem ? null : pager}
    </>
  )
}

const NoMatch = ({ list, isBeyond }: { list: List; isBeyond?: boolean }) => (
  <EmptyState
    title={`No matching ${list.definition.noun}`}
    action={<Button onClick={list.clearFilters}>Clear filters</Button>}
  >
    {isBeyond ? 'This page is past the end of the list.' : 'Change the filters or clear them.'}
  </EmptyState>
)

/** Shown if the rows that this page was anchored to are gone, because paging is then inexact. */
const LostNotice = ({ onFirst }: { onFirst: () => void }) => (
  <div role="status" className="mb-3 flex items-center gap-2.5 rounded-md border border-warn/30 bg-warn-soft px-3 py-2">
    <p className="min-w-0 flex-1">This list changed while you were paging. Some rows may be missing or shown twice.</p>
    <Button size="sm" onClick={onFirst}>
      First page
    </Button>
  </div>
)

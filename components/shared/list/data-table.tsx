'use client'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { Fragment, type MouseEvent as ReactMouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { Skeleton } from '@/components/ui/loading'
import { reportChosen } from '@/components/ui/report-typed'
import { cn } from '@/lib/cn'
import { TYPING } from './use-row-keys'

export type Column<Row> = {
  id: string
  header: ReactNode
  cell: (row: Row) => ReactNode
  className?: string
  /** Not part of the row's content, such as a checkbox, so it never holds the row's link. */
  isAside?: boolean
  /** Hidden below this width, least important first. */
  from?: keyof typeof FROM
  /** Its header orders the list. */
  sort?: { by: string; direction: 'ascending' | 'descending' }
}

const FROM = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
  wide: 'hidden min-[1400px]:table-cell',
}
const STEPS: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

export type DataTableProps<Row> = {
  /** Names the table to screen readers. */
  label: string
  columns: Column<Row>[]
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /**
   * The link of a row. The first column that is not aside becomes the link; Enter or a click anywhere on the row follows
   * it.
   */
  rowHref?: (row: Row) => Route
  /** Highlighted rows, such as selected ones. */
  isMarked?: (row: Row) => boolean
  /** The current order, and how to choose another one. */
  sorting?: { by: string | undefined; onSort: (by: string) => void }
  /** A heading above the first of neighbouring rows with the same one. */
  headingOf?: (row: Row) => string
  /** Shown instead of rows when there are none. */
  empty: ReactNode
  /** The number of skeleton rows while loading. */
  pendingRows?: number
  className?: string
}

/**
 * Rows of records. J and K move between rows from anywhere on the page, arrow keys once a row has the focus; Enter opens
 * it.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowKey,
    rowHref,
    isMarked,
    headingOf,
    sorting,
    empty,
    pendingRows = 5,
    className,
  } = props
  const page = usePathname()
  const body = useRef<HTMLTableSectionElement>(null)

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => moveByKey(event, body.current)
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])

  if (rows?.length === 0) return <div className={cn('rounded-lg border bg-panel', className)}>{empty}</div>
  return (
    // On wide screens the table does not scroll sideways, which lets its header stick below the page's.
    <div className={cn('overflow-x-auto rounded-lg border bg-panel lg:overflow-visible', className)}>
      <table aria-label={label} aria-busy={!rows || undefined} className="w-full border-collapse text-left">
        <thead>
          <tr className="text-ink-3 text-xs [&>th]:bg-sunken [&>th:first-child]:rounded-tl-lg [&>th:last-child]:rounded-tr-lg">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                aria-sort={column.sort && sorting?.by === column.sort.by ? column.sort.direction : undefined}
                className={cn(
                  'h-8 whitespace-nowrap px-3 font-medium shadow-[inset_0_-1px_0_var(--line)] lg:sticky lg:top-12 lg:z-10',
                  cellStyle(column),
                )}
              >
                {column.sort && sorting ? (
                  <SortButton sort={column.sort} sorting={sorting}>
                    {column.header}
                  </SortButton>
                ) : (
                  column.header
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows
            ? rows.map((row, index) => {
                const heading = headingOf?.(row)
                const before = rows[index - 1]
                return (
                  <Fragment key={rowKey(row)}>
                    {heading === undefined || (before && headingOf?.(before) === heading) ? null : (
                      <tr className="border-b bg-sunken">
                        <th
                          scope="rowgroup"
                          colSpan={columns.length}
                          className="h-8 px-3 font-medium text-ink-2 text-xs"
                        >
                          {heading}
                        </th>
                      </tr>
                    )}
                    <TableRow
                      id={rowKey(row)}
                      row={row}
                      columns={columns}
                      href={rowHref?.(row)}
                      page={page}
                      isMarked={isMarked?.(row)}
                    />
                  </Fragment>
                )
              })
            : Array.from({ length: pendingRows }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows have no identity
                <tr key={index} className="border-b last:border-b-0">
                  {columns.map((column) => (
                    <td key={column.id} className={cn('h-10 px-3', cellStyle(column))}>
                      <Skeleton className="w-2/3 max-w-32" />
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
      {rows ? null : <LateNotice className="border-t px-3 py-2" />}
    </div>
  )
}

type SortButtonProps = {
  sort: NonNullable<Column<never>['sort']>
  sorting: NonNullable<DataTableProps<never>['sorting']>
  children: ReactNode
}

function SortButton({ sort, sorting, children }: SortButtonProps) {
  const Icon = sort.direction === 'ascending' ? ArrowUp : ArrowDown
  const isOn = sorting.by === sort.by
  return (
    <button
      type="button"
      onClick={() => sorting.onSort(sort.by)}
      className="inline-flex items-center gap-1 rounded-sm hover:text-ink"
    >
      {children}
      <Icon aria-hidden className={cn('size-3', isOn ? 'text-ink' : 'opacity-0')} />
    </button>
  )
}

const cellStyle = ({ from, className }: Pick<Column<never>, 'from' | 'className'>) => cn(from && FROM[from], className)

type TableRowProps<Row> = {
  id: string
  row: Row
  columns: Column<Row>[]
  href?: Route
  /** The path of the page that the list is on. */
  page: string | null
  isMarked?: boolean
}

function TableRow<Row>({ id, row, columns, href, page, isMarked }: TableRowProps<Row>) {
  const linked = href && columns.find((column) => !column.isAside)
  return (
    // Keyboard users have the link inside; the click handler only enlarges its target.
    <tr
      data-key={id}
      onClick={href && openRow}
      onAuxClick={href && openRow}
      className={cn(
        'border-b last:border-b-0',
        isMarked && 'bg-accent-soft',
        href && 'cursor-pointer focus-within:bg-hover hover:bg-hover',
      )}
    >
      {columns.map((column) => (
        <td key={column.id} className={cn('h-10 truncate px-3 base:max-w-44 base:sm:max-w-72', cellStyle(column))}>
          {href && column === linked ? (
            <Link
              data-row
              href={href}
              prefetch={false}
              // A row that opens beside its list leaves the list where it is.
              scroll={href.split('?')[0] !== page}
              className="inline-block max-w-full truncate align-middle font-medium text-ink"
            >
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

type SelectBoxProps = { label: string; isChecked: boolean; onChange: (isRange: boolean) => void }

/** The checkbox of a row; Shift-click selects a range. */
export const SelectBox = ({ label, isChecked, onChange }: SelectBoxProps) => (
  <label className="flex size-6 items-center justify-center">
    <input
      ref={reportChosen}
      type="checkbox"
      aria-label={label}
      className="size-3.5 accent-accent"
      checked={isChecked}
      // A click reports its modifier keys.
      onChange={({ nativeEvent }) => onChange('shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
    />
  </label>
)

function moveByKey(event: KeyboardEvent, body: HTMLElement | null): void {
  const step = STEPS[event.key]
  if (!step || !body || event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
  const target = event.target as Element // keys are pressed on elements
  const isInside = body.contains(target)
  if (target.closest(TYPING)) return
  // Elsewhere arrow keys scroll the page.
  if (!isInside && event.key.startsWith('Arrow')) return
  const links = [...body.querySelectorAll<HTMLElement>('a[data-row]')]
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
  const next = at === -1 ? links[step > 0 ? 0 : links.length - 1] : links[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
  next.closest('tr')?.scrollIntoView?.({ block: 'nearest' })
}

/** Forwards a click on a row to its link with its modifier keys, so that Ctrl, ⌘ and the middle button open a new tab. */
function openRow(event: ReactMouseEvent<HTMLTableRowElement>): void {
  const isOwn = (event.target as Element).closest('a, button, input, select, label') !== null
  const isSelecting = (window.getSelection()?.toString() ?? '') !== ''
  if (isOwn || isSelecting || event.button > 1) return
  const { ctrlKey, metaKey, shiftKey } = event
  const isMiddle = event.button === 1
  event.currentTarget
    .querySelector('a[data-row]')
    ?.dispatchEvent(
      new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: ctrlKey || isMiddle, metaKey, shiftKey }),
    )
}

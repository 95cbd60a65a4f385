'use client'
import Link from 'next/link'
import type { Route } from 'next'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'

export type Column<Row> = {
  id: string
  header: ReactNode
  cell: (row: Row) => ReactNode
  className?: string
  /** Left out below this width, least important first. */
  from?: 'sm' | 'md' | 'lg'
}

const FROM = { sm: 'hidden sm:table-cell', md: 'hidden md:table-cell', lg: 'hidden lg:table-cell' }

type DataTableProps<Row> = {
  /** Names the table to screen readers. */
  label: string
  columns: Column<Row>[]
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** Where a row leads. The first column becomes the link; Enter and a click anywhere on the row follow it. */
  rowHref?: (row: Row) => Route
  /** Shown instead of rows when there are none. */
  empty: ReactNode
  /** Skeleton rows while there is nothing yet. */
  pendingRows?: number
  className?: string
}

/** Rows of records. J and K, or the arrows, move between rows; Enter opens one. */
export function DataTable<Row>({ label, columns, rows, rowKey, rowHref, empty, pendingRows = 5, className }: DataTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)

  function move(event: KeyboardEvent<HTMLTableSectionElement>) {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    if (!step || event.metaKey || event.ctrlKey || event.altKey) return
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
    const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
    const next = links[at + step]
    if (!next) return
    event.preventDefault()
    next.focus()
  }

  if (rows?.length === 0) return <div className={cn('rounded-lg border bg-panel', className)}>{empty}</div>
  return (
    <div className={cn('overflow-x-auto rounded-lg border bg-panel', className)}>
      <table aria-label={label} aria-busy={!rows || undefined} className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b bg-sunken/60 text-ink-3 text-xs">
            {columns.map((column) => (
              <th key={column.id} scope="col" className={cn('h-8 whitespace-nowrap px-3 font-medium', column.from && FROM[column.from], column.className)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move between the links inside, which are interactive themselves */}
        <tbody ref={body} onKeyDown={move}>
          {rows
            ? rows.map((row) => (
                <tr key={rowKey(row)} className={cn('relative border-b last:border-b-0', rowHref && 'focus-within:bg-hover hover:bg-hover')}>
                  {columns.map((column, index) => (
                    <td key={column.id} className={cn('h-11 max-w-72 truncate px-3', column.from && FROM[column.from], column.className)}>
                      {rowHref && index === 0 ? (
                        <Link data-row href={rowHref(row)} className="font-medium text-ink outline-offset-4 after:absolute after:inset-0 after:content-['']">
                          {column.cell(row)}
                        </Link>
                      ) : (
                        column.cell(row)
                      )}
                    </td>
                  ))}
                </tr>
              ))
            : Array.from({ length: pendingRows }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows that stand for nothing have no other name
                <tr key={index} className="border-b last:border-b-0">
                  {columns.map((column) => (
                    <td key={column.id} className={cn('h-11 px-3', column.from && FROM[column.from], column.className)}>
                      <Skeleton className="w-2/3 max-w-32" />
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  )
}

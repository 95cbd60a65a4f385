'use client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import { useFixedRows } from '@/components/shared/layout/fixed-rows'
import { LOG_ROW_HEIGHT, type LogColumns, LogRowView } from './log-row'
import type { LogRow } from './log-store'

type RowsProps = {
  scroller: RefObject<HTMLDivElement | null>
  rows: readonly LogRow[]
  columns: LogColumns
  needle: string
  /** The row of the current match. */
  current: number | undefined
  /** Called when the height of all rows changes. */
  onHeight: (height: number) => void
}

const indexOf = (rows: readonly LogRow[], n: number | undefined) => (n === undefined ? -1 : n - (rows[0]?.n ?? 0))

/** Rows of one line each; long ones scroll sideways. */
export function FixedRows({ scroller, rows, columns, needle, current, onHeight }: RowsProps) {
  const { first, end, height, topOf, scrollToRow } = useFixedRows(scroller, rows.length, LOG_ROW_HEIGHT)
  useEffect(() => onHeight(height), [onHeight, height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a step of the search scrolls, not new rows
  useEffect(() => {
    const index = indexOf(rows, current)
    if (index >= 0) scrollToRow(index, 'center')
  }, [current])
  return (
    <div className="relative" style={{ height }}>
      {rows.slice(first, end).map((row, offset) => (
        <div key={row.n} className="absolute min-w-full" style={{ top: topOf(first + offset), height: LOG_ROW_HEIGHT }}>
          <LogRowView row={row} columns={columns} needle={needle} isCurrent={row.n === current} isWrapped={false} />
        </div>
      ))}
    </div>
  )
}

/** Rows as high as their text, measured when they become visible. */
export function WrappedRows({ scroller, rows, columns, needle, current, onHeight }: RowsProps) {
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LOG_ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.n ?? index,
    overscan: 8,
  })
  const height = virtual.getTotalSize()
  useEffect(() => onHeight(height), [onHeight, height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a step of the search scrolls, not new rows
  useEffect(() => {
    const index = indexOf(rows, current)
    if (index >= 0) virtual.scrollToIndex(index, { align: 'center' })
  }, [current])
  return (
    <div className="relative" style={{ height }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index]
        return row ? (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            <LogRowView row={row} columns={columns} needle={needle} isCurrent={row.n === current} isWrapped />
          </div>
        ) : null
      })}
    </div>
  )
}

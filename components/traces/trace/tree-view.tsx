'use client'

import { type KeyboardEvent, memo, type ReactNode, useEffect, useId, useRef } from 'react'
import { useFixedRows } from '@/components/shared/layout/fixed-rows'
import { useFocusBack, useIsNarrow } from '@/components/shared/list/use-sheet'
import { costOf, costOfRun } from '@/components/traces/common/cost'
import { cn } from '@/lib/cn'
import type { PriceBook } from '@/lib/traces/cost'
import { flagsOf, type TreeRow as Row, type TraceTree } from '@/lib/traces/tree'
import { ROW_HEIGHT, TreeRow } from './tree-row'

type Props = {
  tree: TraceTree
  rows: readonly Row[]
  isWhole: boolean
  isOver: boolean
  selected: string | undefined
  closed: ReadonlySet<string>
  book: PriceBook | undefined
  /** Whether a sheet is over the tree. */
  isCovered: boolean
  onSelect: (id: string) => void
  /** Shows a run in full, which selecting it does too if there is room beside the tree. */
  onOpen: (id: string) => void
  onClosed: (closed: ReadonlySet<string>) => void
}

const PAGE_ROWS = 15

/**
 * The runs of a trace as a tree with a timeline; only visible rows are in the DOM. Renders again with new rows, not with
 * each page of a large trace.
 */
export const TreeView = memo(function TreeView(props: Props) {
  const { tree, rows, isWhole, isOver, selected, closed, book, isCovered, onSelect, onOpen, onClosed } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow()
  const lines = useFixedRows(scroller, rows.length, ROW_HEIGHT, false, isNarrow)
  const index = Math.max(
    0,
    rows.findIndex(({ node }) => node.run.id === selected),
  )
  const { scrollToRow } = lines
  // Scrolls to a run selected elsewhere, such as in the URL, once it has loaded.
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (!selected || shown.current === selected || rows[index]?.node.run.id !== selected) return
    shown.current = selected
    scrollToRow(index, 'center')
  }, [selected, rows, index, scrollToRow])
  useEffect(() => {
    if (isCovered) scrollToRow(index)
  }, [isCovered, index, scrollToRow])
  useFocusBack(isCovered, () => {
    scroller.current?.focus({ preventScroll: true })
    scrollToRow(index)
  })

  const select = (to: number, how = onSelect) => {
    const row = rows[Math.max(0, Math.min(to, rows.length - 1))]
    if (!row) return
    shown.current = row.node.run.id
    how(row.node.run.id)
    scrollToRow(rows.indexOf(row))
  }
  const toggle = (row: Row) => {
    const next = new Set(closed)
    if (!next.delete(row.node.run.id)) next.add(row.node.run.id)
    onClosed(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[index]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const to = targetOf(event.key, rows, index)
    if (to === undefined) return
    event.preventDefault()
    if (to === 'open') select(index, onOpen)
    else if (to === 'toggle') toggle(row)
    else select(to)
  }

  const visible: ReactNode[] = []
  for (let at = lines.first; at < lines.end; at++) {
    const row = rows[at]
    if (!row) continue
    const { id: runId } = row.node.run
    visible.push(
      <TreeRow
        key={runId}
        id={`${id}-${at}`}
        row={row}
        top={lines.topOf(at)}
        isSelected={at === index}
        flags={flagsOf(row.node, { isWhole, isOver })}
        isOver={isOver}
        start={tree.start}
        end={tree.end}
        cost={row.sums ? costOf(row.sums.logged, [...row.sums.calls.values()], book) : costOfRun(row.node.run, book)}
        onSelect={() => select(at, onOpen)}
        onToggle={() => toggle(row)}
      />,
    )
  }
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Runs of the trace"
      aria-activedescendant={`${id}-${index}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={cn(
        'relative min-h-0 flex-1 overflow-x-clip lg:overflow-y-auto lg:overflow-x-hidden lg:overscroll-contain focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent',
        isCovered && 'scroll-mb-[75dvh]',
      )}
    >
      <div className="relative" style={{ height: lines.height }}>
        {visible}
      </div>
    </div>
  )
})

/** What a key does: move to a row, or toggle or open this one. */
function targetOf(key: string, rows: readonly Row[], index: number): number | 'toggle' | 'open' | undefined {
  const { hasChildren = false, isOpen = false } = rows[index] ?? {}
  switch (key) {
    case 'ArrowDown':
      return index + 1
    case 'ArrowUp':
      return index - 1
    case 'PageDown':
      return index + PAGE_ROWS
    case 'PageUp':
      return index - PAGE_ROWS
    case 'Home':
      return 0
    case 'End':
      return rows.length - 1
    case 'ArrowRight':
      return hasChildren && !isOpen ? 'toggle' : hasChildren ? index + 1 : index
    case 'ArrowLeft':
      return hasChildren && isOpen ? 'toggle' : parentAt(rows, index)
    case 'Enter':
      return 'open'
    case 'e':
      return nextError(rows, index)
    default:
      return undefined
  }
}

function parentAt(rows: readonly Row[], index: number): number {
  const depth = rows[index]?.depth ?? 0
  for (let at = index - 1; at >= 0; at--) if ((rows[at]?.depth ?? 0) < depth) return at
  return index
}

/** The next failed run, wrapping around at the end. */
export function nextError(rows: readonly Row[], index: number): number {
  for (let step = 1; step <= rows.length; step++) {
    const at = (index + step) % rows.length
    if (rows[at]?.node.run.status === 'error') return at
  }
  return index
}

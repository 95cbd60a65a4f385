'use client'

import { type KeyboardEvent, type ReactNode, useId, useMemo, useReducer, useRef, useState } from 'react'
import { useFixedRows } from './fixed-rows'
import { JsonDetail } from './json-detail'
import { JsonSearchBar } from './json-search-bar'
import { JsonTree as Model } from './json-tree-model'
import { JSON_ROW_HEIGHT, JsonTreeRow } from './json-tree-row'
import { isContainer, type JsonPath, pathText, valueAt } from './json-value'

const EXPAND_ROWS = 1_000

/**
 * Any JSON value as a tree that opens where it is looked at. Only the visible lines exist in the document; nothing of
 * the value is copied, and no number is changed. `label` names the tree for screen readers.
 */
export function JsonTree({
  value,
  label,
  className,
  actions,
  marks,
}: {
  value: unknown
  label: string
  className?: string
  actions?: ReactNode
  /** Words about keys of the value itself, such as that one has changed. */
  marks?: ReadonlyMap<string, string>
}) {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [tree, setTree] = useState(() => Model.withFirstLevelsOpen(value))
  // The model is mutable: what is open in a large value must not be copied at each click.
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const [selected, setSelected] = useState<JsonPath>([])
  if (tree.value !== value) setTree(tree.over(value))

  const rows = useFixedRows(scroller, tree.rowCount, JSON_ROW_HEIGHT)
  const selectedIndex = tree.indexOf(selected) ?? 0
  const selectedValue = useMemo(() => valueAt(value, selected), [value, selected])

  const select = (index: number) => {
    const row = tree.rowAt(Math.max(0, Math.min(index, tree.rowCount - 1)))
    if (!row) return
    setSelected(row.path)
    rows.scrollToRow(tree.indexOf(row.path) ?? 0)
  }
  const toggle = (path: JsonPath) => {
    tree.toggle(path)
    redraw()
  }
  const reveal = (path: JsonPath) => {
    tree.open(path.slice(0, -1))
    setSelected(path)
    redraw()
    // The new lines must be there before the list can be moved to them.
    requestAnimationFrame(() => rows.scrollToRow(tree.indexOf(path) ?? 0, 'center'))
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const row = tree.rowAt(selectedIndex)
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const canOpen = isContainer(row.value) && row.size > 0
    const page = Math.max(1, rows.end - rows.first - 18)
    switch (event.key) {
      case 'ArrowDown':
        select(selectedIndex + 1)
        break
      case 'ArrowUp':
        select(selectedIndex - 1)
        break
      case 'PageDown':
        select(selectedIndex + page)
        break
      case 'PageUp':
        select(selectedIndex - page)
        break
      case 'Home':
        select(0)
        break
      case 'End':
        select(tree.rowCount - 1)
        break
      case 'ArrowRight':
        if (row.isOpen) select(selectedIndex + 1)
        else if (canOpen) toggle(row.path)
        break
      case 'ArrowLeft':
        if (row.isOpen) toggle(row.path)
        else select(tree.indexOf(row.path.slice(0, -1)) ?? 0)
        break
      case 'Enter':
      case ' ':
        if (canOpen) toggle(row.path)
        break
      case '*':
        tree.openBelow(row.path, EXPAND_ROWS)
        redraw()
        break
      default:
        return
    }
    event.preventDefault()
  }

  const visible: ReactNode[] = []
  for (let index = rows.first; index < rows.end; index++) {
    const row = tree.rowAt(index)
    if (row)
      visible.push(
        <JsonTreeRow
          key={pathText(row.path)}
          id={`${id}-${index}`}
          row={row}
          top={rows.topOf(index)}
          isSelected={index === selectedIndex}
          mark={row.path.length === 1 ? marks?.get(String(row.path[0])) : undefined}
          onSelect={() => setSelected(row.path)}
          onToggle={() => {
            setSelected(row.path)
            toggle(row.path)
          }}
        />,
      )
  }

  return (
    <div className={`flex min-h-0 flex-col ${className ?? ''}`}>
      <JsonSearchBar
        value={value}
        onReveal={reveal}
        onExpand={() => {
          tree.openBelow(selected, EXPAND_ROWS)
          redraw()
        }}
        onCollapse={() => {
          setTree(new Model(value))
          setSelected([])
        }}
        actions={actions}
      />
      <div
        ref={scroller}
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${selectedIndex}`}
        onKeyDown={onKeyDown}
        className="relative min-h-48 flex-1 overflow-auto overscroll-contain font-mono text-[12.5px] leading-6 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
      >
        <div className="relative min-w-full" style={{ height: rows.height }}>
          {visible}
        </div>
      </div>
      <JsonDetail path={selected} value={selectedValue} />
    </div>
  )
}

'use client'

import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useFixedRows } from '@/components/shared/layout/fixed-rows'
import { type RowSource, waiting } from '@/lib/json/row-source'
import { ValueSource } from '@/lib/json/value-source'
import { JsonDetail } from './json-detail'
import { EXPAND_ROWS, JsonSearchBar } from './json-search-bar'
import { JSON_ROW_HEIGHT, JsonTreeRow, pressedIn } from './json-tree-row'

const LATE_MS = 300

type Props = {
  label: string
  className?: string
  actions?: ReactNode
  /** Labels for top-level keys, such as "changed". */
  labels?: ReadonlyMap<string, string>
}

/**
 * A parsed value as a tree, whose lines are built as they are opened. The value is not copied, and numbers keep their
 * digits.
 */
export function JsonTree({ value, ...more }: Props & { value: unknown }) {
  const [source, setSource] = useState(() => new ValueSource(value))
  if (source.value !== value) setSource(new ValueSource(value, source))
  return <JsonRows source={source} {...more} />
}

/**
 * JSON as a tree, from any source of lines. Only visible lines are in the DOM, and those not loaded yet are grey. `label`
 * names the tree for screen readers.
 */
export function JsonRows({
  source = waiting,
  label,
  className,
  actions,
  labels,
}: Props & { source: RowSource | undefined }) {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const state = useSyncExternalStore(source.subscribe, source.getState, source.getState)
  const { rowCount, selected, attention, progress } = state
  const { first, end, height, topOf, scrollToRow } = useFixedRows(scroller, rowCount, JSON_ROW_HEIGHT)
  useLayoutEffect(() => source.show(first, end), [source, first, end])

  // Scrolls to a requested line after the render that adds it.
  const seen = useRef(attention.count)
  useEffect(() => {
    if (seen.current === attention.count) return
    seen.current = attention.count
    scrollToRow(selected, attention.where)
    scrollPageTo(`${id}-${selected}`)
  }, [attention, selected, scrollToRow, id])

  const select = (index: number) => {
    const line = Math.max(0, Math.min(index, rowCount - 1))
    source.select(line)
    scrollToRow(line)
    scrollPageTo(`${id}-${line}`)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = source.rowAt(selected)
    const page = Math.max(1, end - first - 18)
    switch (event.key) {
      case 'ArrowDown':
        select(selected + 1)
        break
      case 'ArrowUp':
        select(selected - 1)
        break
      case 'PageDown':
        select(selected + page)
        break
      case 'PageUp':
        select(selected - page)
        break
      case 'Home':
        select(0)
        break
      case 'End':
        select(rowCount - 1)
        break
      case 'ArrowRight':
        if (row?.isOpen) select(selected + 1)
        else if (row && row.size > 0) source.toggle(selected)
        break
      case 'ArrowLeft':
        if (row?.isOpen) source.toggle(selected)
        else source.selectParent()
        break
      case 'Enter':
      case ' ':
        if (row && row.size > 0) source.toggle(selected)
        break
      case '*':
        source.openBelow(EXPAND_ROWS)
        break
      default:
        return
    }
    event.preventDefault()
  }

  const onClick = ({ target }: MouseEvent) => {
    const pressed = pressedIn(target)
    if (pressed?.isToggle) source.toggle(pressed.line)
    else if (pressed) source.select(pressed.line)
  }
  const onDoubleClick = ({ target }: MouseEvent) => {
    const pressed = pressedIn(target)
    if (pressed && !pressed.isToggle && source.rowAt(pressed.line)?.size) source.toggle(pressed.line)
  }

  const isWaiting = source === waiting
  const visible: ReactNode[] = []
  for (let index = first; index < end; index++) {
    const row = source.rowAt(index)
    visible.push(
      <JsonTreeRow
        key={index}
        id={`${id}-${index}`}
        line={index}
        row={row}
        top={topOf(index)}
        isSelected={index === selected}
        label={row?.depth === 1 ? labels?.get(String(row.key)) : undefined}
      />,
    )
  }

  return (
    <div className={`flex min-h-0 flex-col ${className ?? ''}`}>
      <JsonSearchBar source={source} search={state.search} actions={actions} />
      {state.problem ? (
        <p role="alert" className="border-b bg-error-soft px-3 py-1.5 text-error text-xs">
          {state.problem} The part received until then is shown.
        </p>
      ) : null}
      <div
        ref={scroller}
        role="tree"
        aria-label={label}
        aria-busy={progress || isWaiting ? true : undefined}
        tabIndex={0}
        aria-activedescendant={isWaiting ? undefined : `${id}-${selected}`}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onDoubleClick={onDoubleClick}
        className="relative min-h-48 flex-1 overflow-auto overscroll-contain font-mono text-[12.5px] leading-6 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
      >
        <div className="relative min-w-full" style={{ height }}>
          {visible}
        </div>
      </div>
      {progress ? <StillReading share={progress.share} /> : null}
      <JsonDetail detail={state.detail} source={source} isInert={isWaiting} />
    </div>
  )
}

/** A tree that shows all its lines does not scroll, but the page around it does. */
const scrollPageTo = (row: string) => document.getElementById(row)?.scrollIntoView?.({ block: 'nearest' })

/** Appears only after a delay, because most values load before anyone could read it. */
function StillReading({ share }: { share: number | undefined }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setLate, LATE_MS, true)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return null
  return (
    <p
      role="status"
      // Overlays the tree, so that nothing moves when it disappears.
      className="pointer-events-none relative z-10 mr-4 -mt-8 mb-2 self-end rounded-full border bg-panel px-2.5 text-ink-2 text-xs leading-[22px] tabular-nums shadow-sm"
    >
      Loading
      {share === undefined ? '' : `, ${Math.floor(share * 100)} %`}
    </p>
  )
}

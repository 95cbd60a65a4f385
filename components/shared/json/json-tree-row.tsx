import { memo } from 'react'
import { visibleText } from '@/components/shared/text/visible-text'
import { type JsonRow, MAX_KEY_TEXT } from '@/lib/json/row-source'
import type { JsonKind } from '@/lib/json/value'

export const JSON_ROW_HEIGHT = 24
const INDENT_PX = 16
/** Deeper lines are not indented further, so that they stay visible. */
const MAX_INDENT = 24

const COLORS: Record<JsonKind, string | undefined> = {
  object: undefined,
  array: undefined,
  string: 'text-ok',
  number: 'text-progress',
  boolean: 'text-warn',
  null: 'text-warn',
}

const LINE = 'absolute left-0 scroll-mt-14 w-max min-w-full cursor-default whitespace-pre pr-4 text-ink-3'

export type JsonTreeRowProps = {
  id: string
  /** The line number, by which the tree identifies the row. */
  line: number
  /** Undefined while loading. */
  row: JsonRow | undefined
  top: number
  isSelected: boolean
  /** A short label for this line, which is then highlighted. */
  label?: string
}

/**
 * One line of a JSON tree. It has few elements, because there are many lines; the tree handles clicks through `pressedIn`.
 */
export const JsonTreeRow = memo(function JsonTreeRow({ id, line, row, top, isSelected, label }: JsonTreeRowProps) {
  if (!row)
    return (
      <div aria-hidden className={LINE} style={{ top, height: JSON_ROW_HEIGHT, paddingLeft: 8 }}>
        <span className="mx-4 inline-block h-3 w-64 animate-pulse rounded-sm bg-line align-middle" />
      </div>
    )
  const isContainer = row.kind === 'array' || row.kind === 'object'
  const canOpen = isContainer && row.size > 0
  const count = row.kind === 'array' ? `[${row.size}]` : `{${row.size}}`
  const text = isContainer ? (row.isOpen ? count : `${count} ${row.text}`) : row.text
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names this row as the active one
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      aria-expanded={canOpen ? row.isOpen : undefined}
      data-line={line}
      className={`${LINE} ${isSelected ? 'bg-accent-soft' : label ? 'bg-warn-soft' : 'hover:bg-hover'}`}
      style={{ top, height: JSON_ROW_HEIGHT, paddingLeft: 8 + Math.min(row.depth, MAX_INDENT) * INDENT_PX }}
    >
      {/* A shortcut for pointer users; the arrow keys do the same. Every font has this character: searching fonts for a triangle took longer than rendering the rest of the first lines. */}
      <span
        aria-hidden
        data-toggle={canOpen || undefined}
        className={`inline-block w-4 text-center select-none ${row.isOpen ? 'rotate-90' : ''}`}
      >
        {canOpen ? '›' : ''}
      </span>
      {row.key === undefined ? null : typeof row.key === 'number' ? (
        `${row.key}: `
      ) : (
        <>
          <span className="text-accent">{visibleText(clip(row.key))}</span>
          {': '}
        </>
      )}
      <span className={COLORS[row.kind]}>{visibleText(text)}</span>
      {label ? <span className="ml-3 text-2xs text-warn">{label}</span> : null}
    </div>
  )
})

/** The clicked line, and whether its toggle was clicked; undefined outside a line. */
export function pressedIn(target: EventTarget): { line: number; isToggle: boolean } | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-line]') : undefined
  if (!row) return undefined
  return { line: Number(row.dataset.line), isToggle: (target as Element).closest('[data-toggle]') !== null }
}

const clip = (key: string) => (key.length > MAX_KEY_TEXT ? `${key.slice(0, MAX_KEY_TEXT)}…` : key)

import { type JsonRow, MAX_KEY_TEXT } from '@/lib/json/row-source'
import type { JsonKind } from '@/lib/json/value'
import { VisibleText } from './visible-text'

export const JSON_ROW_HEIGHT = 24
const INDENT_PX = 16
/** Deeper lines are indented no further, so that they stay in sight. */
const MAX_INDENT = 24

const COLORS: Record<JsonKind, string> = {
  object: 'text-ink-3',
  array: 'text-ink-3',
  string: 'text-ok',
  number: 'text-progress',
  boolean: 'text-warn',
  null: 'text-warn',
}

export type JsonTreeRowProps = {
  id: string
  row: JsonRow
  top: number
  isSelected: boolean
  /** A word about this line, which then stands out. */
  mark?: string
  onSelect: () => void
  onToggle: () => void
}

/** One line of a JSON tree: at most a handful of elements, because there are many. */
export function JsonTreeRow({ id, row, top, isSelected, mark, onSelect, onToggle }: JsonTreeRowProps) {
  const isContainer = row.kind === 'array' || row.kind === 'object'
  const canOpen = isContainer && row.size > 0
  const count = row.kind === 'array' ? `[${row.size}]` : `{${row.size}}`
  const text = isContainer ? (row.isOpen ? count : `${count} ${row.text}`) : row.text
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree that holds the row handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names this row as the active one
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      aria-expanded={canOpen ? row.isOpen : undefined}
      onClick={onSelect}
      onDoubleClick={canOpen ? onToggle : undefined}
      className={`absolute left-0 flex w-full min-w-max cursor-default whitespace-pre pr-4 ${isSelected ? 'bg-accent-soft' : mark ? 'bg-warn-soft' : 'hover:bg-hover'}`}
      style={{ top, height: JSON_ROW_HEIGHT, paddingLeft: 8 + Math.min(row.depth, MAX_INDENT) * INDENT_PX }}
    >
      {/* A pointer's shortcut for what the arrow keys do. */}
      <span
        aria-hidden
        className="w-4 shrink-0 text-center text-ink-3 select-none"
        onClick={
          canOpen
            ? (event) => {
                event.stopPropagation()
                onToggle()
              }
            : undefined
        }
      >
        {canOpen ? (row.isOpen ? '▾' : '▸') : ''}
      </span>
      {row.key !== undefined && (
        <span className={typeof row.key === 'number' ? 'text-ink-3' : 'text-accent'}>
          <VisibleText>{clip(String(row.key))}</VisibleText>
          <span className="text-ink-3">: </span>
        </span>
      )}
      <span className={COLORS[row.kind]}>
        <VisibleText>{text}</VisibleText>
      </span>
      {mark ? <span className="ml-3 text-2xs text-warn">{mark}</span> : null}
    </div>
  )
}

const clip = (key: string) => (key.length > MAX_KEY_TEXT ? `${key.slice(0, MAX_KEY_TEXT)}…` : key)

'use client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import { focusRow } from './use-row-keys'
import type { Selected, Selection } from './use-selection'

export type SelectionAction = {
  label: string
  icon: ReactNode
  variant?: 'danger'
  /** Why the action is disabled. */
  reason?: string
  /** The most rows it accepts at once. */
  max: number
  /** The dialog that confirms and runs the action. `drop` removes rows from the selection. */
  dialog: (props: {
    selected: readonly Selected[]
    drop: (ids: readonly string[]) => void
    onClose: () => void
  }) => ReactNode
}

type Props = {
  /** Names the bar to screen readers. */
  label: string
  selection: Selection
  isOnPage: (id: string) => boolean
  actions: readonly SelectionAction[]
}

/** The selected rows and the actions on them, below the list. */
export function SelectionBar({ label, selection: { selected, clear, drop }, isOnPage, actions }: Props) {
  const [open, setOpen] = useState<string>()
  const isEmpty = selected.length === 0
  /** The row that gets the focus when the bar, whose button had it, has gone. */
  const next = useRef<{ key: string | undefined }>(undefined)
  const choose = (isKept: boolean) => {
    next.current = { key: neighbour(new Set(selected.map(({ id }) => id)), isKept) }
  }
  useEffect(() => {
    if (open || !next.current) return
    const { key } = next.current
    next.current = undefined
    if (!isEmpty || document.activeElement !== document.body || (key !== undefined && focusRow(key))) return
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [open, isEmpty])
  const elsewhere = selected.filter(({ id }) => !isOnPage(id)).length
  return (
    <>
      {isEmpty ? null : (
        <section
          aria-label={label}
          className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border bg-panel px-3 py-2 shadow-pop"
        >
          <span role="status" className="tabular-nums">
            {count(selected.length)} selected
            {elsewhere > 0 ? <span className="text-ink-3"> ({count(elsewhere)} on other pages)</span> : null}
          </span>
          <Button
            size="sm"
            onClick={() => {
              choose(true)
              clear()
            }}
          >
            Clear selection
          </Button>
          {actions.map((action) => (
            <Button
              key={action.label}
              size="sm"
              variant={action.variant}
              reason={
                action.reason ?? (selected.length > action.max ? `Select at most ${count(action.max)}.` : undefined)
              }
              onClick={() => {
                choose(false)
                setOpen(action.label)
              }}
            >
              {action.icon}
              {action.label}
            </Button>
          ))}
        </section>
      )}
      {actions.find((action) => action.label === open)?.dialog({ selected, drop, onClose: () => setOpen(undefined) })}
    </>
  )
}

/** The first of the selected rows on the page, or the nearest row that is not selected. */
function neighbour(selected: ReadonlySet<string>, isKept: boolean): string | undefined {
  const rows = document.querySelectorAll<HTMLElement>('tr[data-key]')
  const keys = [...rows].map(({ dataset }) => dataset.key ?? '')
  const first = keys.findIndex((key) => selected.has(key))
  if (isKept) return keys[first]
  const isOther = (key: string) => !selected.has(key)
  return keys.slice(first + 1).find(isOther) ?? keys.findLast(isOther)
}

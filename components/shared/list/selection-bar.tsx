'use client'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import type { Selected, Selection } from './use-selection'

export type SelectionAction = {
  label: string
  icon: ReactNode
  variant?: 'danger'
  /** Why it cannot be done; shown on the disabled button. */
  reason?: string
  /** How many rows it takes at once. */
  max: number
  /** Confirms and does it. `drop` takes rows out of the selection. */
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

/** Below a list while rows of it are selected: how many, and what can be done with them together. */
export function SelectionBar({ label, selection: { selected, clear, drop }, isOnPage, actions }: Props) {
  const [open, setOpen] = useState<string>()
  const elsewhere = selected.filter(({ id }) => !isOnPage(id)).length
  return (
    <>
      {selected.length > 0 ? (
        <section
          aria-label={label}
          className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border bg-panel px-3 py-2 shadow-pop"
        >
          <span role="status" className="tabular-nums">
            {count(selected.length)} selected
            {elsewhere > 0 ? <span className="text-ink-3"> ({count(elsewhere)} on other pages)</span> : null}
          </span>
          <Button size="sm" onClick={clear}>
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
              onClick={() => setOpen(action.label)}
            >
              {action.icon}
              {action.label}
            </Button>
          ))}
        </section>
      ) : null}
      {actions.find((action) => action.label === open)?.dialog({ selected, drop, onClose: () => setOpen(undefined) })}
    </>
  )
}

import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import type { Selection } from './use-selection'

type Props = {
  /** Names the bar to screen readers. */
  label: string
  selection: Selection
  onPage: (id: string) => boolean
  /** What may be done with the selected rows together. */
  children: ReactNode
}

/** Below a list while rows of it are selected. */
export function SelectionBar({ label, selection: { selected, clear }, onPage, children }: Props) {
  const elsewhere = selected.filter(({ id }) => !onPage(id)).length
  if (selected.length === 0) return null
  return (
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
      {children}
    </section>
  )
}

'use client'
import { useCallback, useMemo, useRef, useState } from 'react'

/** A row's id and its label, and its deployment where rows of several are listed. */
export type Selected = { id: string; name: string; deployment?: string }
export type Selection = {
  selected: readonly Selected[]
  has: (id: string) => boolean
  /** Toggles a row; with `isRange`, all rows from the last toggled one to it. */
  toggle: (id: string, isRange: boolean) => void
  /** Selects or deselects all rows of the page. */
  togglePage: () => void
  drop: (ids: readonly string[]) => void
  clear: () => void
}

/** The selected rows by id. They stay selected on other pages, and are cleared when the filter (`subject`) changes. */
export function useSelection(rows: readonly Selected[], subject: string): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Selected>>(new Map())
  const [shown, setShown] = useState(subject)
  if (subject !== shown) {
    setShown(subject)
    setChosen(new Map())
  }
  const touched = useRef<string>(undefined)
  const toggle = useCallback(
    (id: string, isRange: boolean) => {
      const from = isRange ? rows.findIndex((row) => row.id === touched.current) : -1
      const to = rows.findIndex((row) => row.id === id)
      if (to === -1) return
      touched.current = id
      const span = from === -1 ? rows.slice(to, to + 1) : rows.slice(Math.min(from, to), Math.max(from, to) + 1)
      setChosen((before) => including(before, span, !before.has(id)))
    },
    [rows],
  )
  const togglePage = useCallback(
    () => setChosen((before) => including(before, rows, !rows.every((row) => before.has(row.id)))),
    [rows],
  )
  return useMemo(
    () => ({
      selected: [...chosen.values()],
      has: (id) => chosen.has(id),
      toggle,
      togglePage,
      drop: (ids) => setChosen((before) => new Map([...before].filter(([id]) => !ids.includes(id)))),
      clear: () => setChosen(new Map()),
    }),
    [chosen, toggle, togglePage],
  )
}

function including(before: ReadonlyMap<string, Selected>, rows: readonly Selected[], isIn: boolean) {
  const next = new Map(before)
  for (const { id, name, deployment } of rows) {
    if (isIn) next.set(id, { id, name, deployment })
    else next.delete(id)
  }
  return next
}

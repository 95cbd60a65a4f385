'use client'
import { useEffect, useEffectEvent } from 'react'

type RowKeys = {
  onSelect?: (id: string) => void
  onPeek?: (id: string) => void
  /** Another row took the focus. */
  onFocus?: (id: string) => void
  /** Gives back whether there was something to close. */
  onEscape?: () => boolean
}

const TYPING =
  'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]'
const rowOf = (target: EventTarget | null) =>
  (target as Element | null)?.closest?.<HTMLElement>('tr[data-key]')?.dataset.key

/** Keys of the row that has the focus: X selects it, Space and P peek into it. Keys without a handler stay the browser's. */
export function useRowKeys(handlers: RowKeys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
    const target = event.target as Element // keys are pressed on elements
    if (target.closest(TYPING)) return
    if (event.key === 'Escape') {
      if (handlers.onEscape?.()) event.preventDefault()
      return
    }
    const id = rowOf(target)
    if (!id) return
    // Space presses what has the focus, but for links it only scrolls.
    const isPeek = handlers.onPeek && (event.key === 'p' || (event.key === ' ' && target.matches('a[data-row]')))
    if (handlers.onSelect && event.key === 'x') handlers.onSelect(id)
    else if (isPeek) handlers.onPeek?.(id)
    else return
    event.preventDefault()
  })
  const onFocus = useEffectEvent((event: FocusEvent) => {
    const id = rowOf(event.target)
    if (id) handlers.onFocus?.(id)
  })
  useEffect(() => {
    const key = (event: KeyboardEvent) => onKey(event)
    const focus = (event: FocusEvent) => onFocus(event)
    document.addEventListener('keydown', key)
    document.addEventListener('focusin', focus)
    return () => {
      document.removeEventListener('keydown', key)
      document.removeEventListener('focusin', focus)
    }
  }, [])
}

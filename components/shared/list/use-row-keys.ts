'use client'
import { useEffect, useEffectEvent } from 'react'

type RowKeys = {
  onSelect?: (id: string) => void
  onPeek?: (id: string) => void
  /** Called when another row gets the focus. */
  onFocus?: (id: string) => void
  /** Returns whether there was something to close. */
  onEscape?: () => boolean
}

/** Where keys are typed, or are for what is open above the page. */
export const TYPING =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]'
const rowOf = (target: EventTarget | null) =>
  (target as Element | null)?.closest?.<HTMLElement>('tr[data-key]')?.dataset.key

/** Gives a row's link the focus. Returns whether there is one. */
export function focusRow(key: string): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('tr[data-key]')]
  const link = rows.find(({ dataset }) => dataset.key === key)?.querySelector<HTMLElement>('a[data-row]')
  link?.focus()
  return Boolean(link)
}

/** Keys for the focused row: X selects it, Space and P open the peek panel. Keys without a handler keep their default. */
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
    // Space activates a focused button, but for links it only scrolls.
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

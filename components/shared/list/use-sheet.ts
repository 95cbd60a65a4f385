'use client'
import { type RefObject, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { useRowKeys } from './use-row-keys'

/** Where `sheetOverList` makes a sheet. */
const NARROW = '(width < 64rem)'
const subscribe = (onChange: () => void) => {
  const media = window.matchMedia(NARROW)
  media.addEventListener('change', onChange)
  return () => media.removeEventListener('change', onChange)
}

/** Whether the detail of a list is a sheet over it. */
export const useIsNarrow = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => window.matchMedia(NARROW).matches,
    () => false,
  )

/** For a detail that `onClose` closes: as a sheet it takes the focus, and Escape closes it. */
export function useSheet(onClose: (() => void) | undefined): RefObject<HTMLElement | null> {
  const sheet = useRef<HTMLElement>(null)
  const isSheet = useIsNarrow() && onClose !== undefined
  useEffect(() => {
    if (isSheet) sheet.current?.focus()
  }, [isSheet])
  useRowKeys({
    onEscape: () => {
      if (isSheet) onClose?.()
      return isSheet
    },
  })
  return sheet
}

/** For the list: a detail that is closed, also by going back, leaves the focus nowhere. */
export function useFocusBack(isOpen: boolean, focus: () => void): void {
  const back = useEffectEvent(focus)
  useEffect(() => {
    if (!isOpen) return
    return () => {
      if (document.activeElement === document.body) back()
    }
  }, [isOpen])
}

/** The same for a list of buttons whose values are keys. `open` is the key of the open one, or empty. */
export function useFocusOnButton(list: RefObject<HTMLElement | null>, open: string): void {
  const isSheet = useIsNarrow() && open !== ''
  const last = useRef(open)
  if (open) last.current = open
  useFocusBack(isSheet, () => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    buttons.find(({ value }) => value === last.current)?.focus()
  })
}

'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** Waits for a closing dialog to return the focus first. */
const AFTER_DIALOG_MS = 50

/** Focuses the first invalid field each time a submit is rejected. For forms that are reviewed in a dialog. */
export function useFocusIssue(refused: object | undefined): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!refused) return
    const focus = () => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    const timer = setTimeout(focus, AFTER_DIALOG_MS)
    return () => clearTimeout(timer)
  }, [refused])
  return form
}

'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** A dialog that closes gives the focus back to where it came from, a moment later. */
const AFTER_DIALOG_MS = 50

/** For a form that is reviewed in a dialog: each time something was refused, the first such field takes the keyboard. */
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

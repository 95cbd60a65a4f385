'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** For a form: when a save is refused, the first field that was refused gets the focus, also where it was out of sight. */
export function useFocusRefused(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  return form
}

'use client'
import { type RefObject, useEffect, useRef } from 'react'

/** Focuses the first invalid field of a form when the server rejects it. */
export function useFocusRefused(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  return form
}

'use client'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { ErrorView, Result } from '@/lib/errors'
import { shownError, useQueued } from './use-queued'

/**
 * Runs a write and keeps its error until the next attempt: field errors by path, the rest for a notice. `queued`: the place
 * of a start that waits.
 */
export function useSave<T>() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ErrorView>()
  const { queued, attempt } = useQueued()
  async function save(write: () => Promise<Result<T>>, onDone: (data: T) => void) {
    setBusy(true)
    const result = await attempt(write).catch((): Result<T> => ({ ok: false, error: LOST }))
    setBusy(false)
    if (!result.ok) return setError(shownError(result.error))
    setError(undefined)
    onDone(result.data)
  }
  /** The error of one field, by its path in the schema: `keys.apiKey`. */
  const fieldError = (path: string) =>
    error?.fields.find((field) => field.path.join('.') === path || field.path.join('.').startsWith(`${path}.`))?.message
  return { isBusy, error, fieldError, save, queued }
}

const LOST: ErrorView = {
  code: 'internal',
  message: 'The console did not respond. The change may have been saved: reload the page to check, then try again.',
  fields: [],
  requestId: '',
}

/** Focuses the first invalid field of a form when the server rejects it. */
export function useFocusRefused(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  return form
}

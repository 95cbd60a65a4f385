'use client'
import { useEffect, useRef, useState } from 'react'
import type { ErrorView, Result } from '@/lib/errors'

export type Queued = { place: NonNullable<ErrorView['queue']>; cancel: () => void }

/**
 * Repeats a start while it has a place in the queue for a free stream. `queued` is that place, and how to give it up:
 * the start then ends with an error that says so, unless it was made in the meantime. Leaving the page gives it up too.
 */
export function useQueued() {
  const [queued, setQueued] = useState<Queued>()
  const leaving = useRef<AbortController>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])

  async function attempt<T>(start: () => Promise<Result<T>>): Promise<Result<T>> {
    leaving.current?.abort()
    const own = new AbortController()
    leaving.current = own
    try {
      for (;;) {
        const result = await start()
        if (result.ok || !result.error.queue) return result
        if (own.signal.aborted) return { ok: false, error: CANCELLED }
        setQueued({ place: result.error.queue, cancel: () => own.abort() })
        await pause(result.error.retryAfterMs ?? 1_000, own.signal)
        if (own.signal.aborted) return { ok: false, error: CANCELLED }
      }
    } finally {
      setQueued(undefined)
    }
  }
  return { queued, attempt }
}

/** Nobody needs to be told what they did. */
export const shownError = (error: ErrorView): ErrorView | undefined => (error === CANCELLED ? undefined : error)

const CANCELLED: ErrorView = {
  code: 'rate_limited',
  message: 'Cancelled while it waited for a free stream. Nothing was started.',
  fields: [],
  requestId: '',
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })

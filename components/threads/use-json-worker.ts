'use client'
import { useEffect } from 'react'

/** Keeps the worker for large states ready while a page that may need it is open. */
export function useJsonWorker(): void {
  useEffect(() => {
    let isGone = false
    let end = () => {}
    import('@/lib/json/large-json').then(
      ({ keepReady }) => {
        if (!isGone) end = keepReady()
      },
      () => {}, // it is loaded again, and any error shown, once a large state needs it
    )
    return () => {
      isGone = true
      end()
    }
  }, [])
}

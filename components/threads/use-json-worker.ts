'use client'
import { useEffect } from 'react'

/** Has the worker that reads large states ready while a page is open that may show one. */
export function useJsonWorker(): void {
  useEffect(() => {
    let isGone = false
    let end = () => {}
    import('@/lib/json/large-json').then(
      ({ keepReady }) => {
        if (!isGone) end = keepReady()
      },
      () => {}, // it is loaded again, and that told, once there is a large state
    )
    return () => {
      isGone = true
      end()
    }
  }, [])
}

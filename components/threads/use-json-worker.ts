'use client'
import { useEffect } from 'react'

/** Has the worker that reads large states ready while a page is open that may show one. */
export function useJsonWorker(): void {
  useEffect(() => {
    let isGone = false
    let end = () => {}
    // What is needed beside it is loaded too: later it would be waited for.
    Promise.all([import('@/lib/json/remote-document'), import('@/lib/json/large-json')]).then(
      ([{ keepWorker }]) => {
        if (!isGone) end = keepWorker()
      },
      () => {}, // it is loaded again, and that told, once there is a large state
    )
    return () => {
      isGone = true
      end()
    }
  }, [])
}

'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'

/** Reads the page's audit entries again when a new revision has appeared: who made it is not in its record. */
export function useFreshChanges(newest: string | undefined): void {
  const router = useRouter()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (!newest || newest === known.current) return
    const isFirst = known.current === undefined
    known.current = newest
    if (!isFirst) router.refresh()
  }, [newest, router])
}

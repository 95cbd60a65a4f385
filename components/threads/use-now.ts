'use client'
import { useSyncExternalStore } from 'react'
import { makeClock } from '@/components/shared/text/clock'

const useMinute = makeClock(60_000)
const never = () => () => {}

/** The time to the minute; undefined while the page is rendered on the server, whose days may be other days. */
export function useNow(): number | undefined {
  const now = useMinute()
  const isBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  return isBrowser ? now : undefined
}

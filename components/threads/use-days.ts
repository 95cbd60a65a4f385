'use client'
import { useSyncExternalStore } from 'react'
import { makeClock } from '@/components/shared/text/clock'
import { dayOf, type ThreadRow } from '@/lib/stream/thread-rows'

const useMinute = makeClock(60_000)
const never = () => () => {}

/**
 * The headings of a list by day. The page from the server has them already, by UTC, so that its rows seldom move under a
 * click when the reader's own days are known. `readAt` is when the rows were read.
 */
export function useDays(readAt: number): (row: Pick<ThreadRow, 'status' | 'at'>) => string {
  const now = useNow()
  return (row) => (now === undefined ? dayOf(row, new Date(readAt), 'UTC') : dayOf(row, new Date(now)))
}

/** The time to the minute; undefined while the page is rendered on the server, whose days may be other days. */
function useNow(): number | undefined {
  const now = useMinute()
  const isBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  return isBrowser ? now : undefined
}

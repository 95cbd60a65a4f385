'use client'
import { useState } from 'react'

/** The statuses that were seen on this page and when each was seen first; a roll-out that begins anew begins a new list. */
export function useSeen(status: string | undefined, isBack: (status: string) => boolean): ReadonlyMap<string, number> {
  const [seen, setSeen] = useState<{ last: string | undefined; at: ReadonlyMap<string, number> }>({
    last: undefined,
    at: new Map(),
  })
  if (status === undefined || status === seen.last) return seen.at
  // The first one was not seen to begin: it may have been so for long.
  const before = seen.last === undefined ? [] : isBack(status) ? [] : [...seen.at]
  const at = new Map(seen.last === undefined ? before : [...before, [status, Date.now()] as const])
  setSeen({ last: status, at })
  return at
}

'use client'
import { useState } from 'react'

/** The statuses seen on this page, with the time each was first seen. A new roll-out starts a new list. */
export function useSeen(status: string | undefined, isBack: (status: string) => boolean): ReadonlyMap<string, number> {
  const [seen, setSeen] = useState<{ last: string | undefined; at: ReadonlyMap<string, number> }>({
    last: undefined,
    at: new Map(),
  })
  if (status === undefined || status === seen.last) return seen.at
  // The start of the first status was not seen, so it has no time.
  const before = seen.last === undefined ? [] : isBack(status) ? [] : [...seen.at]
  const at = new Map(seen.last === undefined ? before : [...before, [status, Date.now()] as const])
  setSeen({ last: status, at })
  return at
}

'use client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { LiveError } from '@/lib/errors'
import { connection, subscribe } from '@/lib/live/client'
import { whenHydrated } from './page-hydrated'

type Wanted = Parameters<typeof subscribe>[0]

/** `problem` is why live updates have stopped; `refetchInterval` polls while disconnected. */
export type Live = { problem: LiveError | undefined; refetchInterval: number | false }

const POLL_MS = 10_000

/** Updates a query in the cache from the server's shared poller. */
export function useLiveQuery(wanted: Wanted, queryKey: QueryKey): Live {
  const client = useQueryClient()
  const subject = JSON.stringify([wanted, queryKey])
  const [noted, note] = useState<LiveError & { subject: string; readAt: number | undefined }>()
  const readAt = client.getQueryState(queryKey)?.dataUpdatedAt
  useEffect(() => {
    const [wanted, queryKey] = JSON.parse(subject) as [Wanted, QueryKey] // the values that `subject` was made of
    return whenHydrated(() =>
      subscribe(wanted, {
        onValue: (value, at) => {
          note(undefined)
          client.setQueryData(queryKey, value, { updatedAt: at })
        },
        onError: (error) => note({ ...error, subject, readAt: client.getQueryState(queryKey)?.dataUpdatedAt }),
      }),
    )
  }, [client, subject])
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  return {
    // Cleared once the query has been read in another way, because the poller may wait half a minute before it retries.
    problem: noted?.subject === subject && noted.readAt === readAt ? noted : undefined,
    refetchInterval: state === 'live' ? false : POLL_MS,
  }
}

/** The newest value of a live subject; undefined until there is one. */
export function useLiveValue(wanted: Wanted): unknown {
  const subject = JSON.stringify(wanted)
  const [seen, setSeen] = useState<{ subject: string; value: unknown }>()
  useEffect(
    () => subscribe(JSON.parse(subject) as Wanted, { onValue: (value) => setSeen({ subject, value }) }),
    [subject],
  )
  return seen?.subject === subject ? seen.value : undefined
}

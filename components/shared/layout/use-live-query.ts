'use client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { connection, subscribe } from '@/lib/live/client'

type Wanted = Parameters<typeof subscribe>[0]
type Problem = { code: string; message: string }

/** How a live reading stands: `problem` is why what is shown gets no newer; without a connection `refetchInterval` polls. */
export type Live = { problem: Problem | undefined; refetchInterval: number | false }

const POLL_MS = 10_000

/** Keeps a query in the cache as the server's shared poller sees it. */
export function useLiveQuery(wanted: Wanted, queryKey: QueryKey): Live {
  const client = useQueryClient()
  const subject = JSON.stringify([wanted, queryKey])
  const [noted, note] = useState<Problem & { subject: string; readAt: number | undefined }>()
  const readAt = client.getQueryState(queryKey)?.dataUpdatedAt
  useEffect(() => {
    const [wanted, queryKey] = JSON.parse(subject) as [Wanted, QueryKey] // what it was made of
    return subscribe(wanted, {
      onValue: (value, at) => {
        note(undefined)
        client.setQueryData(queryKey, value, { updatedAt: at })
      },
      onError: ({ code, message }) =>
        note({ code, message, subject, readAt: client.getQueryState(queryKey)?.dataUpdatedAt }),
    })
  }, [client, subject])
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  return {
    // It is over once the query was read by other means: the poller may wait half a minute before it looks again.
    problem: noted?.subject === subject && noted.readAt === readAt ? noted : undefined,
    refetchInterval: state === 'live' ? false : POLL_MS,
  }
}

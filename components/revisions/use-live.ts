'use client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { connection, subscribe } from '@/lib/live/client'

type Wanted = Parameters<typeof subscribe>[0]

/** How a live reading stands: `problem` is why what is shown gets no newer; without a connection `refetchInterval` polls. */
export type Live = { problem: { code: string; message: string } | undefined; refetchInterval: number | false }

const POLL_MS = 10_000

/** Keeps a query in the cache as the server's shared poller sees it. */
export function useLiveQuery(wanted: Wanted, queryKey: QueryKey): Live {
  const client = useQueryClient()
  const subject = JSON.stringify([wanted, queryKey])
  const [problem, note] = useState<Live['problem']>()
  const [shown, setShown] = useState(subject)
  if (subject !== shown) {
    setShown(subject)
    note(undefined)
  }
  useEffect(() => {
    const [wanted, queryKey] = JSON.parse(subject) as [Wanted, QueryKey] // what it was made of
    return subscribe(wanted, {
      onValue: (value, at) => {
        note(undefined)
        client.setQueryData(queryKey, value, { updatedAt: at })
      },
      onError: note,
    })
  }, [client, subject])
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  return { problem, refetchInterval: state === 'live' ? false : POLL_MS }
}

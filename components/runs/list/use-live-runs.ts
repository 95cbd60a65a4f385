'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { connection, subscribe } from '@/lib/live/client'
import { runRowsQuery } from '@/lib/queries/runs'

const POLL_MS = 10_000

/**
 * Updates a page of runs in the query cache from the server's shared poller. `problem` is why live updates have stopped;
 * `refetchInterval` polls while disconnected.
 */
export function useLiveRuns(workspace: string, query: Record<string, string | number>) {
  const client = useQueryClient()
  const key = JSON.stringify(query)
  const [note, setNote] = useState<{ key: string; problem: string }>()
  useEffect(() => {
    const query: Record<string, string | number> = JSON.parse(key) // the query that `key` was made of
    const { queryKey } = runRowsQuery(workspace, query)
    return subscribe(
      { kind: 'runs', workspace, query },
      {
        onValue: (value, at) => {
          setNote(undefined)
          client.setQueryData(queryKey, value as never, { updatedAt: at }) // from our own server; the live channel is untyped
        },
        onError: ({ message }) => setNote({ key, problem: message }),
      },
    )
  }, [client, workspace, key])
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  const refetchInterval: number | false = state === 'live' ? false : POLL_MS
  return { problem: note?.key === key ? note.problem : undefined, refetchInterval }
}

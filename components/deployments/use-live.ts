'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { RevisionsList } from '@/lib/contracts/revisions'
import { connection, subscribe } from '@/lib/live/client'
import { deploymentQuery, deploymentRowsQuery, type RowsQuery } from '@/lib/queries/deployments'
import { revisionQuery, revisionsQuery } from '@/lib/queries/revisions'

type Query = Record<string, string | number | boolean>
type RevisionsQuery = NonNullable<Parameters<typeof revisionsQuery>[2]>

/** How a live reading stands: `problem` is why what is shown gets no newer; without a connection `refetchInterval` polls. */
type Live = { problem: string | undefined; refetchInterval: number | false }

const POLL_MS = 10_000

/** Keeps the list in the query cache as the server's shared poller sees it. */
export function useLiveDeployments(workspace: string, query: RowsQuery): Live {
  const client = useQueryClient()
  const key = JSON.stringify(query)
  const { live, note } = useLiveState(`${workspace} ${key}`)
  useEffect(() => {
    const query: RowsQuery & Record<string, string | number | boolean> = JSON.parse(key) // what `key` was made of
    const { queryKey } = deploymentRowsQuery(workspace, query)
    return subscribe(
      { kind: 'deployments', workspace, query },
      {
        onValue: (value, at) => {
          note(undefined)
          client.setQueryData(queryKey, value as never, { updatedAt: at }) // parsed by the server; its type is lost on the way
        },
        onError: ({ message }) => note(message),
      },
    )
  }, [client, workspace, key, note])
  return live
}

/** The same for one deployment and its revisions. */
export function useLiveDeployment(workspace: string, deployment: string, revisions: RevisionsQuery): Live {
  const client = useQueryClient()
  const { live, note } = useLiveState(`${workspace} ${deployment}`)
  useEffect(() => {
    const place = { workspace, deployment }
    const into = (queryKey: readonly unknown[], also?: (value: unknown, at: number) => void) => ({
      onValue: (value: unknown, at: number) => {
        note(undefined)
        client.setQueryData(queryKey, value, { updatedAt: at })
        also?.(value, at)
      },
      onError: ({ message }: { message: string }) => note(message),
    })
    // The health in the page's head is that of the latest one: it moves together with the list.
    const each = (value: unknown, at: number) => {
      const { resources } = value as RevisionsList // parsed by the server; its type is lost on the way
      for (const revision of resources)
        client.setQueryData(revisionQuery(workspace, deployment, revision.id).queryKey, revision, { updatedAt: at })
    }
    const ends = [
      subscribe({ kind: 'deployment', ...place }, into(deploymentQuery(workspace, deployment).queryKey)),
      subscribe(
        { kind: 'revisions', ...place, query: revisions as Query },
        into(revisionsQuery(workspace, deployment, revisions).queryKey, each),
      ),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [client, workspace, deployment, revisions, note])
  return live
}

/** A problem belongs to what was being read: another subject begins without one. */
function useLiveState(subject: string) {
  const [problem, note] = useState<string>()
  const [shown, setShown] = useState(subject)
  if (subject !== shown) {
    setShown(subject)
    note(undefined)
  }
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => 'connecting' as const)
  const live: Live = { problem, refetchInterval: state === 'live' ? false : POLL_MS }
  return { live, note }
}

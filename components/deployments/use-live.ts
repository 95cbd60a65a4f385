'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { deploymentQuery, deploymentsQuery } from '@/lib/queries/deployments'
import { revisionsQuery } from '@/lib/queries/revisions'
import { subscribe } from '@/lib/live/client'

type ListQuery = NonNullable<Parameters<typeof deploymentsQuery>[1]>

/** Keeps the list in the query cache as the server's shared poller sees it. */
export function useLiveDeployments(workspace: string, query: ListQuery): void {
  const client = useQueryClient()
  const key = JSON.stringify(query)
  useEffect(() => {
    const query = JSON.parse(key) as ListQuery
    const { queryKey } = deploymentsQuery(workspace, query)
    return subscribe({ kind: 'deployments', workspace, query: query as Record<string, string | number | boolean> }, { onValue: (value, at) => client.setQueryData(queryKey, value as never, { updatedAt: at }) })
  }, [client, workspace, key])
}

/** The same for one deployment and its revisions. */
export function useLiveDeployment(workspace: string, deployment: string, revisions: NonNullable<Parameters<typeof revisionsQuery>[2]>): void {
  const client = useQueryClient()
  const revisionsKey = useMemo(() => revisionsQuery(workspace, deployment, revisions).queryKey, [workspace, deployment, revisions])
  useEffect(() => {
    const ends = [
      subscribe({ kind: 'deployment', workspace, deployment }, { onValue: (value, at) => client.setQueryData(deploymentQuery(workspace, deployment).queryKey, value as never, { updatedAt: at }) }),
      subscribe({ kind: 'revisions', workspace, deployment }, { onValue: (value, at) => client.setQueryData(revisionsKey, value as never, { updatedAt: at }) }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [client, workspace, deployment, revisionsKey])
}

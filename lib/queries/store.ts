import { keepPreviousData } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { InputOf } from '@/lib/contracts/wire/api'
import { apiQuery } from './api-query'

// Looking at items in the console does not lengthen their lives.

type Search = NonNullable<InputOf<typeof agentServer.searchItems>['body']>

/** A page of items below a namespace; the last page stays on screen while the next loads. */
export const itemsQuery = (workspace: string, deploymentId: string, body: Search) => ({
  ...apiQuery(agentServer.searchItems, { workspace, deploymentId, body: { ...body, refresh_ttl: false } }),
  placeholderData: keepPreviousData,
})

export const itemQuery = (workspace: string, deploymentId: string, namespace: readonly string[], key: string) =>
  apiQuery(agentServer.getItem, {
    workspace,
    deploymentId,
    query: { namespace: namespace.join('.'), key, refresh_ttl: false },
  })

export const MOST_NAMESPACES = 200

/** The namespaces right below one; those deeper down are cut to this depth. */
export const namespacesQuery = (workspace: string, deploymentId: string, prefix: readonly string[]) =>
  apiQuery(agentServer.listNamespaces, {
    workspace,
    deploymentId,
    body: {
      ...(prefix.length > 0 && { prefix: [...prefix] }),
      max_depth: prefix.length + 1,
      limit: MOST_NAMESPACES,
    },
  })

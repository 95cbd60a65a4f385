import { keepPreviousData } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { InputOf } from '@/lib/contracts/wire/api'
import { apiQuery } from './api-query'

// Viewing items in the console must not extend their lifetime.

type Search = NonNullable<InputOf<typeof agentServer.searchItems>['body']>

/** A page of items below a namespace. The previous page stays visible while the next one loads. */
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

/** The namespaces directly below one; deeper ones are cut to this depth. */
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

import { keepPreviousData } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Assistant, AssistantGraph } from '@/lib/contracts/agents/assistants'
import type { InputOf } from '@/lib/contracts/wire/api'
import { apiQuery } from './api-query'

type Search = NonNullable<InputOf<typeof agentServer.searchAssistants>['body']>

/** A page of assistants. The previous page stays visible while the next one loads. */
export const assistantsQuery = (workspace: string, deploymentId: string, body: Search = {}) => ({
  ...apiQuery(agentServer.searchAssistants, { workspace, deploymentId, body }),
  placeholderData: keepPreviousData,
})

export const MOST_PICKABLE = 200

/** The assistants that a form offers. The first graph of the configuration comes first. */
export const pickableAssistants = (workspace: string, deploymentId: string) =>
  assistantsQuery(workspace, deploymentId, { limit: MOST_PICKABLE, sort_by: 'created_at', sort_order: 'asc' })

/** The assistant that the server created for a graph. */
export const isDefault = (assistant: Pick<Assistant, 'metadata'>): boolean => assistant.metadata.created_by === 'system'

/** An assistant's display name; the graph's name for a default assistant. */
export const nameOfAssistant = (assistant: Assistant): string =>
  isDefault(assistant) ? `${assistant.graph_id} (default)` : assistant.name || assistant.assistant_id

/** An assistant by its id, or a graph's default assistant by the graph's name. */
export const findAssistant = (assistants: readonly Assistant[] | undefined, idOrGraph: string): Assistant | undefined =>
  assistants?.find((one) => one.assistant_id === idOrGraph) ??
  assistants?.find((one) => one.graph_id === idOrGraph && isDefault(one))

/** The default assistant of each graph, which shows the graphs there are. */
export const defaultAssistantsQuery = (workspace: string, deploymentId: string) =>
  assistantsQuery(workspace, deploymentId, {
    metadata: { created_by: 'system' },
    limit: 200,
    sort_by: 'graph_id',
    sort_order: 'asc',
  })

export const assistantQuery = (workspace: string, deploymentId: string, assistantId: string) =>
  apiQuery(agentServer.getAssistant, { workspace, deploymentId, params: { assistant_id: assistantId } })

/** JSON schemas of an assistant's graph. They only change with a revision. */
export const assistantSchemasQuery = (workspace: string, deploymentId: string, assistantId: string) => ({
  ...apiQuery(agentServer.getAssistantSchemas, { workspace, deploymentId, params: { assistant_id: assistantId } }),
  staleTime: 60_000,
})

/** A page of an assistant's versions, newest first. */
export const assistantVersionsQuery = (
  workspace: string,
  deploymentId: string,
  assistantId: string,
  page: { limit?: number; offset?: number } = {},
) =>
  apiQuery(agentServer.listAssistantVersions, {
    workspace,
    deploymentId,
    params: { assistant_id: assistantId },
    body: page,
  })

/** A graph's nodes and edges; with `xray` those of its subgraphs too, as `parent:child`. */
export const assistantGraphQuery = (
  workspace: string,
  deploymentId: string,
  assistantId: string,
  query: { xray?: boolean } = {},
) => ({
  ...apiQuery(agentServer.getAssistantGraph, {
    workspace,
    deploymentId,
    params: { assistant_id: assistantId },
    ...(query.xray && { query }),
  }),
  staleTime: 60_000,
})

/** A graph for drawing: ids become text, and repeated edges are merged. */
export function drawnGraph({ nodes, edges }: AssistantGraph) {
  const drawn = edges.map(({ source, target, conditional }) => ({
    from: String(source),
    to: String(target),
    isConditional: conditional === true,
  }))
  return {
    nodes: [...new Set(nodes.map(({ id }) => String(id)))].map((id) => ({ id })),
    edges: [...new Map(drawn.map((edge) => [JSON.stringify([edge.from, edge.to]), edge])).values()],
  }
}

import type { Assistant } from '@/lib/contracts/assistants'
import { assistantsQuery } from '@/lib/queries/assistants'

export const MOST_PICKABLE = 200

/** The assistants that a form offers; the first graph of the server's configuration comes first. */
export const pickableAssistants = (workspace: string, deployment: string) =>
  assistantsQuery(workspace, deployment, { limit: MOST_PICKABLE, sort_by: 'created_at', sort_order: 'asc' })

/** The assistant that the server made for each graph by itself. */
export const isDefault = (assistant: Pick<Assistant, 'metadata'>): boolean => assistant.metadata.created_by === 'system'

/** An assistant by its id, or the default one of a graph by the graph's name. */
export const findAssistant = (assistants: readonly Assistant[] | undefined, idOrGraph: string): Assistant | undefined =>
  assistants?.find((one) => one.assistant_id === idOrGraph) ??
  assistants?.find((one) => one.graph_id === idOrGraph && isDefault(one))

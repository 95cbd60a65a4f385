'use client'
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Assistant } from '@/lib/contracts/assistants'
import { assistantsQuery } from '@/lib/queries/assistants'

/** What a person calls an assistant: of the one that a server makes for each graph, the graph. */
export const nameOfAssistant = ({ graph_id: graph, name, metadata, assistant_id: id }: Assistant): string =>
  metadata.created_by === 'system' ? `${graph} (default)` : name || id

/** The assistants that a form offers, oldest first, and their names by id. */
export function useAssistants(workspace: string, deployment: string) {
  const { data, error, refetch } = useQuery({
    ...assistantsQuery(workspace, deployment, { limit: 200, sort_by: 'created_at', sort_order: 'asc' }),
    staleTime: 60_000,
  })
  const nameOf = useCallback(
    (id: string) => {
      const found = data?.find((one) => one.assistant_id === id)
      return found && nameOfAssistant(found)
    },
    [data],
  )
  return { assistants: data, error, refetch, nameOf }
}

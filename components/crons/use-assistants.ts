'use client'
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { findAssistant, nameOfAssistant, pickableAssistants } from '@/lib/queries/assistants'
import { untilBack } from '@/lib/queries/query-client'

/** The assistants to choose from, oldest first, and their names by id. */
export function useAssistants(workspace: string, deploymentId: string) {
  const { data, error, refetch } = useQuery({
    ...pickableAssistants(workspace, deploymentId),
    staleTime: 60_000,
    ...untilBack,
  })
  const nameOf = useCallback(
    (id: string) => {
      const found = findAssistant(data, id)
      return found && nameOfAssistant(found)
    },
    [data],
  )
  return { assistants: data, error, refetch, nameOf }
}

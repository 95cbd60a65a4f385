'use client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/**
 * Refetches at once. `refetch` alone waits for the current attempt, which takes half a minute if a server hangs, and the
 * button would seem to do nothing.
 */
export function useTryAgain(queryKey: QueryKey): () => void {
  const client = useQueryClient()
  const one = { queryKey, exact: true }
  return () => void client.cancelQueries(one).then(() => client.refetchQueries(one))
}

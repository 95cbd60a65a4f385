'use client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/**
 * Refetches at once. `refetch` alone waits for the attempt in progress, which takes half a minute when a server hangs:
 * the button would seem to do nothing.
 */
export function useTryAgain(queryKey: QueryKey): () => void {
  const client = useQueryClient()
  const one = { queryKey, exact: true }
  return () => void client.cancelQueries(one).then(() => client.refetchQueries(one))
}

'use client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/**
 * Asks anew at once. `refetch` alone would wait for an attempt that is under way, and one whose server hangs takes half a
 * minute: pressing a button would seem to do nothing.
 */
export function useTryAgain(queryKey: QueryKey): () => void {
  const client = useQueryClient()
  const one = { queryKey, exact: true }
  return () => void client.cancelQueries(one).then(() => client.refetchQueries(one))
}

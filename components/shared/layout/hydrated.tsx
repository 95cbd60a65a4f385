import { HydrationBoundary } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dehydratedQueries } from '@/lib/server/relay/prefetch'

/** Hands the queries that the page prefetched in this request to the components below. */
export function Hydrated({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydratedQueries()}>{children}</HydrationBoundary>
}

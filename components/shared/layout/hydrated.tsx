import { HydrationBoundary } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dehydratedQueries } from '@/lib/server/relay/prefetch'

/** Passes the queries that the page prefetched to the components below. */
export function Hydrated({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydratedQueries()}>{children}</HydrationBoundary>
}

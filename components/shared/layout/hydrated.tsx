import { HydrationBoundary } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dehydratedQueries } from '@/lib/server/relay/prefetch'
import { PageMark } from './page-hydrated'

/** Passes the queries that the page prefetched to the components below. A frame has a page inside it. */
export function Hydrated({ isFrame = false, children }: { isFrame?: boolean; children: ReactNode }) {
  return (
    <HydrationBoundary state={dehydratedQueries()}>
      {children}
      {isFrame ? null : <PageMark />}
    </HydrationBoundary>
  )
}

'use client'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { useTryAgain } from '@/components/shared/feedback/error-notice'
import { staleOf } from '@/components/shared/feedback/stale-notice'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { revisionQuery, revisionsQuery } from '@/lib/queries/revisions'

type ListQuery = NonNullable<Parameters<typeof revisionsQuery>[2]>
type Heads = { latest_revision_id?: string | null; active_revision_id?: string | null } | undefined

/**
 * A live page of revisions. A server without a list still names the latest and the active revision; then the list holds just
 * those two and `isPartial` is true.
 */
export function useRevisions(workspace: string, deploymentId: string, query: ListQuery, heads: Heads) {
  const options = revisionsQuery(workspace, deploymentId, query)
  const { problem, refetchInterval } = useLiveQuery(
    {
      kind: 'revisions',
      workspace,
      deployment: deploymentId,
      query: query as Record<string, string | number | boolean>,
    },
    options.queryKey,
  )
  const retry = useTryAgain(options.queryKey)
  const list = useQuery({ ...options, placeholderData: keepPreviousData, refetchInterval })
  const isPartial = list.error?.code === 'unsupported' && !list.data
  const ids = isPartial
    ? [...new Set([heads?.latest_revision_id, heads?.active_revision_id])].filter((id) => id != null)
    : []
  const few = useQueries({
    queries: ids.map((id) => ({ ...revisionQuery(workspace, deploymentId, id), refetchInterval: 5_000 })),
  })
  const found = few.map(({ data }) => data).filter((one): one is Revision => one !== undefined)
  const failure = few.find(({ error }) => error)?.error
  if (isPartial)
    return {
      unread: [],
      rows: found.length > 0 || few.every(({ isSuccess }) => isSuccess) ? found : undefined,
      isPartial,
      isLoading: false,
      error: failure ?? null,
      stale: undefined,
      retry: () => void Promise.all(few.map(({ refetch }) => refetch())),
    }
  return {
    rows: list.data?.resources,
    unread: list.data?.unread ?? [],
    isPartial,
    isLoading: list.isPlaceholderData,
    // The first failure is shown during retries, because a hanging server takes minutes to fail for good.
    error: list.error ?? list.failureReason,
    stale: staleOf(list, problem?.code === 'unsupported' ? undefined : problem),
    retry,
  }
}

/** Reloads the page's audit entries when a new revision appears, because its record does not say who created it. */
export function useFreshChanges(newest: string | undefined): void {
  const router = useRouter()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (!newest || newest === known.current) return
    const isFirst = known.current === undefined
    known.current = newest
    if (!isFirst) router.refresh()
  }, [newest, router])
}

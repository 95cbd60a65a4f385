'use client'

import { useQuery } from '@tanstack/react-query'
import { startTransition, useEffect, useState } from 'react'
import { type Stale, staleOf } from '@/components/shared/feedback/stale-notice'
import { AppError, type ErrorView } from '@/lib/errors'
import { isLongAgo } from '@/lib/traces/light-run'
import { TraceTree } from '@/lib/traces/tree'
import { fetchTreePage, type TreePage, treeStartQuery } from './tree-query'

/** Parsing larger pages would block the page. */
const PAGE = 500
/** How often an unfinished trace is fetched again, up to a size where that is cheap. */
const LIVE_MS = 2_000
/** The same, if nothing has been logged for long. */
const SILENT_MS = 30_000
const MAX_LIVE_RUNS = 2_000
const RATE_WAIT_MS = 5_000
const MOST_IDLE_MS = 1_000
/** The delay in browsers without `requestIdleCallback`. */
const NO_IDLE_MS = 200

type Loaded = {
  tree: TraceTree /** Changes with each change of the tree, which is mutated in place. */
  version: number
  isWhole: boolean
}
export type TraceLoad = Loaded & {
  isPending: boolean
  error: ErrorView | undefined
  /** The trace goes on, and is not read any more. */
  stale: Stale | undefined
  retry: () => void
}

/** The light runs of a trace, loaded page by page into a tree that grows in place. */
export function useTrace(workspace: string, trace: string): TraceLoad {
  const first = useQuery({
    ...treeStartQuery(workspace, trace),
    // Refetched only while the trace is unfinished, because a large one has many pages.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  })
  const [loaded, setLoaded] = useState<Loaded>(() => fresh())
  const [error, setError] = useState<ErrorView>()
  const [attempt, setAttempt] = useState(0)
  const [start, setStart] = useState<TreePage>()
  const { tree, isWhole } = loaded
  if (first.data && first.data !== start) {
    setStart(first.data)
    tree.add(first.data.runs)
    setLoaded({ ...loaded, version: loaded.version + 1, isWhole: !first.data.next })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry continues where the last attempt failed
  useEffect(() => {
    if (!start?.next) return
    const over = new AbortController()
    const load = async (from: string) => {
      await idle()
      for (let cursor: string | null = from; cursor; ) {
        const asked = { cursor, limit: PAGE }
        const page: TreePage = await patiently(over.signal, () => fetchTreePage(workspace, trace, asked, over.signal))
        if (over.signal.aborted) return
        cursor = page.next
        const isWhole = cursor === null
        tree.add(page.runs)
        startTransition(() => setLoaded(({ tree, version }) => ({ tree, version: version + 1, isWhole })))
      }
    }
    setError(undefined)
    load(start.next).catch((failure: unknown) => {
      if (over.signal.aborted) return
      if (!(failure instanceof AppError)) throw failure
      setError(failure.view)
    })
    return () => over.abort()
  }, [workspace, trace, tree, start, attempt])

  const isGrowing = isWhole && tree.size > 0 && tree.size <= MAX_LIVE_RUNS && tree.root?.run.status === 'pending'
  const everyMs = isLongAgo(tree.end) ? SILENT_MS : LIVE_MS
  const refetch = first.refetch
  useEffect(() => {
    if (!isGrowing) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refetch()
    }, everyMs)
    return () => clearInterval(timer)
  }, [isGrowing, everyMs, refetch])

  const failed = error ?? (first.data ? undefined : first.error?.view)
  const stale = isGrowing ? staleOf({ ...first, error: first.error ?? first.failureReason }) : undefined
  const retry = () => {
    if (first.data && !stale) setAttempt((count) => count + 1)
    else void refetch()
  }
  return { ...loaded, isPending: first.isPending, error: failed, stale, retry }
}

/** Waits and retries when the server limits the request rate, because a large trace has many pages. */
async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError && error.code === 'rate_limited')) throw error
      const waitMs = error.view.retryAfterMs ?? RATE_WAIT_MS
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

/** Delays the rest of a large trace until the page is usable, because loading it competes for the processor. */
const idle = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: MOST_IDLE_MS })
    else setTimeout(resolve, NO_IDLE_MS)
  })

const fresh = (): Loaded => ({ tree: new TraceTree(), version: 0, isWhole: false })

'use client'

import { useEffect, useMemo, useRef, useState } from 'react'
import type { TraceTree, TreeRow, TreeWish } from '@/lib/traces/tree'

/** A tree up to this size is laid out while the page is drawn. */
const AT_ONCE = 1_500
/** Longest stretch of work between two looks at what the person does. */
const SLICE_MS = 8
/** While a large tree comes page by page, its lines are laid out anew this often. */
const REST_MS = 200

/** Lines, and the wish that they are of. */
export type ShownRows = { rows: readonly TreeRow[]; wish: TreeWish }

/** The lines of a tree that grows in place; those of a large one are laid out in slices, and the last ones stay until then. */
export function useTreeRows(tree: TraceTree, version: number, wish: TreeWish): ShownRows {
  const [sliced, setSliced] = useState<ShownRows>()
  const isSmall = tree.size <= AT_ONCE
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tree is changed in place, and its version says so
  const atOnce = useMemo(
    () => (isSmall || !sliced ? { rows: tree.rows(wish), wish } : undefined),
    [tree, version, wish, isSmall, sliced],
  )
  const job = useRef<{ tell: (version: number) => void }>(undefined)
  useEffect(() => {
    if (isSmall) return
    const channel = new MessageChannel()
    let known = -1
    let asked = -1
    let timer: ReturnType<typeof setTimeout> | undefined
    let steps: ReturnType<TraceTree['rowSteps']> | undefined
    const work = () => {
      timer = undefined
      if (!steps) known = asked
      steps ??= tree.rowSteps(wish)
      for (const end = performance.now() + SLICE_MS; performance.now() < end; ) {
        const step = steps.next()
        if (!step.done) continue
        steps = undefined
        setSliced({ rows: step.value, wish })
        if (known !== asked) timer = setTimeout(work, REST_MS)
        return
      }
      channel.port2.postMessage(null) // no timer: nested ones wait four milliseconds each
    }
    channel.port1.onmessage = work
    job.current = {
      tell: (version) => {
        asked = version
        if (!steps && timer === undefined) timer = setTimeout(work, known === -1 ? 0 : REST_MS)
      },
    }
    return () => {
      job.current = undefined
      clearTimeout(timer)
      channel.port1.close()
    }
  }, [tree, wish, isSmall])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another wish has a job of its own, which is to be told too
  useEffect(() => job.current?.tell(version), [version, wish, tree, isSmall])
  return atOnce ?? (sliced as ShownRows) // one of them is there
}

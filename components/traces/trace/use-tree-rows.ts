'use client'

import { startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { inSlices } from '@/components/shared/json/in-slices'
import type { TraceTree, TreeRow, TreeWish } from '@/lib/traces/tree'

/** A tree up to this size is laid out while the page is drawn. */
const AT_ONCE = 1_500
/** While a large tree comes page by page, its lines are laid out again this often. */
const REST_MS = 400

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
    let known = -1
    let asked = -1
    let timer: ReturnType<typeof setTimeout> | undefined
    let stop: (() => void) | undefined
    const work = () => {
      timer = undefined
      known = asked
      stop = inSlices(tree.rowSteps(wish), (rows) => {
        stop = undefined
        startTransition(() => setSliced({ rows, wish }))
        if (known !== asked) timer = setTimeout(work, REST_MS)
      })
    }
    job.current = {
      tell: (version) => {
        asked = version
        if (!stop && timer === undefined) timer = setTimeout(work, known === -1 ? 0 : REST_MS)
      },
    }
    return () => {
      job.current = undefined
      clearTimeout(timer)
      stop?.()
    }
  }, [tree, wish, isSmall])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another wish has a job of its own, which is to be told too
  useEffect(() => job.current?.tell(version), [version, wish, tree, isSmall])
  return atOnce ?? (sliced as ShownRows) // one of them is there
}

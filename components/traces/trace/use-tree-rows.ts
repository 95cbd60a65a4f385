'use client'

import { startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { inSlices } from '@/components/shared/json/in-slices'
import type { TraceTree, TreeOptions, TreeRow } from '@/lib/traces/tree'

/** Trees up to this size are laid out during the render. */
const AT_ONCE = 1_500
/** The pause between layouts while a large tree is loading. */
const REST_MS = 400

/** Rows, and the view options that they were laid out for. */
export type ShownRows = { rows: readonly TreeRow[]; options: TreeOptions }

/**
 * The rows of a tree that grows in place. Those of a large tree are laid out in slices, and the previous rows stay until
 * then.
 */
export function useTreeRows(tree: TraceTree, version: number, options: TreeOptions): ShownRows {
  const [sliced, setSliced] = useState<ShownRows>()
  const isSmall = tree.size <= AT_ONCE
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tree is mutated in place; its version signals changes
  const atOnce = useMemo(
    () => (isSmall || !sliced ? { rows: tree.rows(options), options } : undefined),
    [tree, version, options, isSmall, sliced],
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
      stop = inSlices(tree.rowSteps(options), (rows) => {
        stop = undefined
        startTransition(() => setSliced({ rows, options }))
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
  }, [tree, options, isSmall])
  // biome-ignore lint/correctness/useExhaustiveDependencies: new options start a new job, which needs the version too
  useEffect(() => job.current?.tell(version), [version, options, tree, isSmall])
  return atOnce ?? (sliced as ShownRows) // at least one is defined
}

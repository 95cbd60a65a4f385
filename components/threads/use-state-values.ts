'use client'
import { useEffect, useState } from 'react'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import type { LoadedState } from '@/lib/queries/thread-states'

/** The values of a state by key. A value in `tooLarge` is replaced by a placeholder. */
export type StateValues = { values: Readonly<Record<string, unknown>>; tooLarge: ReadonlySet<string> }

const NONE: ReadonlySet<string> = new Set()

/**
 * The editable values of a state; undefined while the worker is sending them. Values above `most` bytes stay in the worker.
 */
export function useStateValues({ large, values }: LoadedState, most: number): StateValues | undefined {
  const [found, setFound] = useState<StateValues>()
  useEffect(() => {
    if (!large) return
    let isGone = false
    large.whole
      .then(() => large.members(most))
      .then((members) => {
        if (isGone) return
        const entries = members.map(({ key, text, bytes }) => [
          key,
          text === undefined ? `[${bytes} bytes, not shown here]` : parseJson(text),
        ])
        const tooLarge = new Set(members.flatMap(({ key, text }) => (text === undefined ? [key] : [])))
        setFound({ values: Object.fromEntries(entries), tooLarge })
      })
      .catch(() => {}) // the page itself shows that the state is incomplete
    return () => {
      isGone = true
    }
  }, [large, most])
  return large ? found : { values: isRecord(values) ? values : {}, tooLarge: NONE }
}

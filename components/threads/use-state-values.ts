'use client'
import { useEffect, useState } from 'react'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import type { LoadedState } from '@/lib/queries/thread-states'

/** The keys of a state with their values. Of those in `tooLarge` the value is not here; a word stands in its place. */
export type StateValues = { values: Readonly<Record<string, unknown>>; tooLarge: ReadonlySet<string> }

const NONE: ReadonlySet<string> = new Set()

/** What of a state can be edited, undefined while it is on its way from the worker. Larger values than `most` bytes stay there. */
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
      .catch(() => {}) // the page itself tells that the state did not come whole
    return () => {
      isGone = true
    }
  }, [large, most])
  return large ? found : { values: isRecord(values) ? values : {}, tooLarge: NONE }
}

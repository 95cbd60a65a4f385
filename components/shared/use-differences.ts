'use client'
import { useEffect, useState } from 'react'
import { type DifferenceSource, differenceSource } from '@/lib/json/difference-source'
import { differences } from '@/lib/json-difference'

/** Longest stretch of work between two looks at what the person does. */
const SLICE_MS = 12

/** What differs between two values, worked out in slices that leave the page at hand; undefined until it is known. */
export function useDifferences(old: unknown, now: unknown): DifferenceSource | undefined {
  const [found, setFound] = useState<{ old: unknown; now: unknown; differences: DifferenceSource }>()
  useEffect(() => {
    const steps = differences(old, now)
    const channel = new MessageChannel()
    const work = () => {
      for (const end = performance.now() + SLICE_MS; performance.now() < end; ) {
        const step = steps.next()
        if (step.done) return setFound({ old, now, differences: differenceSource(step.value) })
      }
      channel.port2.postMessage(null) // no timer: nested ones wait four milliseconds each
    }
    channel.port1.onmessage = work
    work()
    return () => channel.port1.close()
  }, [old, now])
  return found && found.old === old && found.now === now ? found.differences : undefined
}

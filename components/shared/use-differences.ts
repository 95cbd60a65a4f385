'use client'
import { useEffect, useState } from 'react'
import { type DifferenceSource, differenceSource } from '@/lib/json/difference-source'
import { differences } from '@/lib/json-difference'
import { inSlices } from './in-slices'

/** What differs between two values; undefined until it is known. */
export function useDifferences(old: unknown, now: unknown): DifferenceSource | undefined {
  const [found, setFound] = useState<{ old: unknown; now: unknown; differences: DifferenceSource }>()
  useEffect(
    () => inSlices(differences(old, now), (list) => setFound({ old, now, differences: differenceSource(list) })),
    [old, now],
  )
  return found && found.old === old && found.now === now ? found.differences : undefined
}

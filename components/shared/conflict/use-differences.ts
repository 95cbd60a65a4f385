'use client'
import { useEffect, useState } from 'react'
import { inSlices } from '@/components/shared/json/in-slices'
import { differences } from '@/lib/json/difference'
import { type DifferenceSource, differenceSource } from '@/lib/json/difference-source'

/** The differences between two values; undefined until computed. */
export function useDifferences(old: unknown, now: unknown): DifferenceSource | undefined {
  const [found, setFound] = useState<{ old: unknown; now: unknown; differences: DifferenceSource }>()
  useEffect(
    () => inSlices(differences(old, now), (list) => setFound({ old, now, differences: differenceSource(list) })),
    [old, now],
  )
  return found && found.old === old && found.now === now ? found.differences : undefined
}

'use client'
import { ThreeWays } from '@/components/shared/conflict/three-ways'
import { SpecPart } from './spec-part'
import type { Spec } from './spec-value'
import { merged, threeWays } from './three-way'

type ThreeWayViewProps = {
  message: string
  base: Spec
  mine: Spec
  theirs: Spec
  onCancel: () => void
  /** Goes on with their spec and my changes on it. */
  onDecide: (draft: Spec) => void
}

/** My change of a spec and theirs, field by field. */
export const ThreeWayView = ({ message, base, mine, theirs, onCancel, onDecide }: ThreeWayViewProps) => (
  <ThreeWays
    message={message}
    rows={threeWays(base, mine, theirs).map((row) => ({
      key: row.key,
      name: row.key,
      who: row.who,
      base: <SpecPart value={row.base} />,
      theirs: <SpecPart value={row.theirs} />,
      mine: <SpecPart value={row.mine} />,
    }))}
    onCancel={onCancel}
    onDecide={(kept) => onDecide(merged(base, mine, theirs, kept))}
  />
)

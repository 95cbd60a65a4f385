'use client'
import { ConflictView } from '@/components/shared/conflict/conflict-view'
import { SpecPart } from './spec-part'
import type { Spec } from './spec-value'
import { merged, threeWays } from './three-way'

type SpecConflictProps = {
  message: string
  base: Spec
  mine: Spec
  theirs: Spec
  onCancel: () => void
  /** Continues with their spec and my changes on it. */
  onResolve: (draft: Spec) => void
}

/** My change of a spec and theirs, field by field. */
export const SpecConflict = ({ message, base, mine, theirs, onCancel, onResolve }: SpecConflictProps) => (
  <ConflictView
    message={message}
    rows={threeWays(base, mine, theirs).map((row) => ({
      key: row.key,
      name: row.key,
      keeps: row.keeps,
      base: <SpecPart value={row.base} />,
      theirs: <SpecPart value={row.theirs} />,
      mine: <SpecPart value={row.mine} />,
    }))}
    onCancel={onCancel}
    onResolve={(keys) => onResolve(merged(base, mine, theirs, keys.mine))}
  />
)

import type { Change } from '@/lib/contracts/deployments/changes'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { isRevisionInProgress, isRevisionTerminal } from '@/lib/contracts/wire/state'

type Timed = Pick<Revision, 'id' | 'status' | 'created_at' | 'updated_at'>

/** From a moment to another, or still going on; epoch ms. `unknown`: with the reason. */
export type Span = { from: number; to: number | null } | { unknown: string }

/**
 * How long a revision took from its creation to its end. A record has no time of its end but that of its last change, which
 * is another one once it was rolled out again.
 */
export function tookOf(revision: Timed, changes: readonly Change[]): Span {
  const [from, to] = [Date.parse(revision.created_at), Date.parse(revision.updated_at)]
  const isAgain = changes.some(
    (one) => one.operation === 'redeployRevision' && one.revision === revision.id && one.isDone,
  )
  if (isAgain) return { unknown: 'It was rolled out again later; how long the first time took is not recorded.' }
  if (isRevisionInProgress(revision.status)) return { from, to: null }
  if (!isRevisionTerminal(revision.status)) return { unknown: 'Whether it has ended is not known.' }
  if (Number.isNaN(from) || Number.isNaN(to) || to < from) return { unknown: 'The record holds no usable times.' }
  return { from, to }
}

type Listing = {
  /** Newest first. */
  revisions: readonly Timed[]
  active: string | null
  /** Whether the list begins with the newest revision and leaves no deployed one out in between. */
  isWhole: boolean
}

/** While which each revision served, the last time it did; those that never did, as far as is known, are left out. */
export function activeSpans({ revisions, active, isWhole }: Listing): Map<string, Span> {
  // Each took over from the one before; of one that was rolled out again only the last time is recorded.
  const served = revisions
    .filter(({ id, status }) => status === 'DEPLOYED' || id === active)
    .map((one) => ({ ...one, from: Date.parse(one.updated_at) }))
    .sort((a, b) => a.from - b.from)
  return new Map(
    served.map(({ id, status, from }, index): [string, Span] => {
      if (status !== 'DEPLOYED')
        return [id, { unknown: 'It serves, and is on its way again: since when it served is not recorded.' }]
      if (id === active) return [id, { from, to: null }]
      const next = served.slice(index + 1).find((one) => one.status === 'DEPLOYED')
      if (!next || !isWhole) return [id, { unknown: 'What took its place is not in this list.' }]
      return [id, { from, to: next.from }]
    }),
  )
}

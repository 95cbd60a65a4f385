import type { Change } from '@/lib/contracts/deployments/changes'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { isRevisionInProgress, isRevisionTerminal } from '@/lib/contracts/wire/state'
import { deployedAt, rollOutOf } from './roll-out'

type Timed = Pick<Revision, 'id' | 'status' | 'created_at' | 'updated_at' | 'status_history'>

/** A time span in epoch ms; `to` is null while it is open. `unknown` holds the reason. */
export type Span = { from: number; to: number | null } | { unknown: string }

/**
 * How long a revision took from creation to its final status, or its last redeploy. Without recorded statuses there is
 * only the time of the last change, which is overwritten when it is redeployed.
 */
export function tookOf(revision: Timed, changes: readonly Change[]): Span {
  const rollOut = rollOutOf(revision)
  if (rollOut) return { from: rollOut.from, to: rollOut.to }
  const [from, to] = [Date.parse(revision.created_at), Date.parse(revision.updated_at)]
  const isAgain = changes.some(
    (one) => one.operation === 'redeployRevision' && one.revision === revision.id && one.isDone,
  )
  if (isAgain) return { unknown: 'It was redeployed later, so the first duration is not recorded.' }
  if (isRevisionInProgress(revision.status)) return { from, to: null }
  if (!isRevisionTerminal(revision.status)) return { unknown: 'It is unknown whether it has finished.' }
  if (Number.isNaN(from) || Number.isNaN(to) || to < from) return { unknown: 'The record has no valid times.' }
  return { from, to }
}

type Listing = {
  /** Newest first. */
  revisions: readonly Timed[]
  active: string | null
  /** Whether the list starts at the newest revision and skips no deployed one. */
  isWhole: boolean
}

/** The most recent time span in which each revision was active. Revisions that were never active are left out. */
export function activeSpans({ revisions, active, isWhole }: Listing): Map<string, Span> {
  // Each revision replaced the one before it. For a redeployed one only the last time is recorded.
  const served = revisions
    .filter(({ id, status }) => status === 'DEPLOYED' || id === active)
    .map((one) => ({ ...one, from: deployedAt(one) ?? Date.parse(one.updated_at) }))
    .sort((a, b) => a.from - b.from)
  return new Map(
    served.map(({ id, status, from }, index): [string, Span] => {
      if (status !== 'DEPLOYED')
        return [id, { unknown: 'It is active and being redeployed. Its first activation time is not recorded.' }]
      if (id === active) return [id, { from, to: null }]
      const next = served.slice(index + 1).find((one) => one.status === 'DEPLOYED')
      if (!next || !isWhole) return [id, { unknown: 'The revision that replaced it is not in this list.' }]
      return [id, { from, to: next.from }]
    }),
  )
}

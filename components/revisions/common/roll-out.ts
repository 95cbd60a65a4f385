import type { Revision } from '@/lib/contracts/deployments/revisions'
import { isRevisionTerminal } from '@/lib/contracts/wire/state'

/** Time in a status, in epoch ms; `to` is null while it lasts. */
export type StageSpan = { status: string; from: number; to: number | null }
/** From the creation or last redeploy of a revision to its final status; `to` is null until then. */
export type RollOut = { stages: StageSpan[]; from: number; to: number | null }

type Recorded = Pick<Revision, 'status' | 'status_history'>

/** The last roll-out of a revision. Undefined if the server does not record statuses. */
export function rollOutOf({ status, status_history }: Recorded): RollOut | undefined {
  const history = timesOf(status_history)
  if (history.at(-1)?.status !== status) return undefined
  // A final status is followed by another only if the revision was redeployed.
  const before = history.findLastIndex((one, index) => index < history.length - 1 && isRevisionTerminal(one.status))
  const entries = history.slice(before + 1)
  const [first] = entries
  if (!first || isRevisionTerminal(first.status)) return undefined
  const stages = entries
    .map((one, index) => ({ ...one, to: entries[index + 1]?.from ?? null }))
    .filter((one) => !isRevisionTerminal(one.status))
  return { stages, from: first.from, to: stages.at(-1)?.to ?? null }
}

/** When a revision last began to serve, in epoch ms. */
export const deployedAt = ({ status_history }: Recorded): number | undefined =>
  timesOf(status_history).findLast(({ status }) => status === 'DEPLOYED')?.from

const timesOf = (history: Recorded['status_history']) =>
  (history ?? []).flatMap(({ status, at }) => {
    const from = Date.parse(at)
    return Number.isNaN(from) ? [] : [{ status, from }]
  })

export const PARTS = ['waiting', 'build', 'roll-out'] as const
export type Part = (typeof PARTS)[number]
const PART_OF: Record<string, Part> = { BUILDING: 'build', DEPLOYING: 'roll-out' }

/** How long each part of a roll-out took, or has taken so far, in ms. */
export function partsOf({ stages }: RollOut, now: number): Record<Part, number> {
  const parts = { waiting: 0, build: 0, 'roll-out': 0 }
  for (const { status, from, to } of stages) parts[PART_OF[status] ?? 'waiting'] += Math.max(0, (to ?? now) - from)
  return parts
}

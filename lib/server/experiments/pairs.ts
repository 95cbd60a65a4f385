import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { PairResult } from '@/lib/stream/experiments'
import { db } from '../process/db'
import { experimentPairs, experiments } from '../process/schema'
import { LEASE, type PairRow } from '../records/experiments'

// What the runner notes. Its caller has checked the rights, and starting a run checks them again.

const isPair = (id: string, { subject, input }: Pick<PairRow, 'subject' | 'input'>) =>
  and(eq(experimentPairs.experiment, id), eq(experimentPairs.subject, subject), eq(experimentPairs.input, input))

/** Renews the lease; false if the experiment was stopped or deleted. `isOver` gives it back. */
export async function renewExperiment(id: string, isOver: boolean): Promise<boolean> {
  const [row] = await (await db())
    .update(experiments)
    .set({ runningUntil: isOver ? null : LEASE })
    .where(eq(experiments.id, id))
    .returning({ stoppedAt: experiments.stoppedAt })
  return row !== undefined && row.stoppedAt === null
}

/** Takes a waiting pair to start its run; false if it does not wait any more. */
export async function claimPair(id: string, pair: Pick<PairRow, 'subject' | 'input'>): Promise<boolean> {
  const taken = await (await db())
    .update(experimentPairs)
    .set({ state: 'running' })
    .where(and(isPair(id, pair), eq(experimentPairs.state, 'waiting')))
    .returning({ state: experimentPairs.state })
  return taken.length > 0
}

type Outcome =
  | { state: 'running'; recording: string }
  | { state: 'ended'; result: PairResult }
  | { state: 'failed'; error: string }
  | { state: 'waiting' }

export async function notePair(id: string, pair: Pick<PairRow, 'subject' | 'input'>, outcome: Outcome): Promise<void> {
  await (await db()).update(experimentPairs).set(outcome).where(isPair(id, pair))
}

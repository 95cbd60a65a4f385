import 'server-only'
import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { PairResult, Subject } from '@/lib/stream/experiments'
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
  | { state: 'running'; recording: string; revision: string | null }
  | { state: 'ended'; result: PairResult }
  | { state: 'failed'; error: string }
  | { state: 'waiting' }

export async function notePair(id: string, pair: Pick<PairRow, 'subject' | 'input'>, outcome: Outcome): Promise<void> {
  await (await db()).update(experimentPairs).set(outcome).where(isPair(id, pair))
}

export type LastResult = Pick<PairRow, 'recording' | 'revision'> & { result: PairResult | null }

/**
 * What a column's revision last answered in experiments, with the same assistant, version and options, by input. `active`: the
 * version that a column without one stands for.
 */
export async function lastResults(
  workspace: string,
  { deployment, assistant, version, options, revision }: Subject,
  active: number,
  inputs: readonly string[],
): Promise<Map<string, LastResult>> {
  const input = sql<string>`${experiments.inputs}->>${experimentPairs.input}::int`
  const column = sql`${experiments.subjects}->${experimentPairs.subject}::int`
  const facts = sql`(${column}->>'deployment', ${column}->>'assistant', coalesce(${column}->>'version', ''), coalesce(${column}->>'options', ''))`
  const rows = await (await db())
    .selectDistinctOn([input], {
      ...{ input, recording: experimentPairs.recording, revision: experimentPairs.revision },
      result: experimentPairs.result,
    })
    .from(experimentPairs)
    .innerJoin(experiments, eq(experiments.id, experimentPairs.experiment))
    .where(
      and(
        eq(experiments.workspace, workspace),
        eq(experimentPairs.revision, revision ?? ''),
        sql`${experimentPairs.result}->>'revision' = ${revision}`,
        sql`${experimentPairs.result}->>'run' is not null`,
        version === null ? sql`${experimentPairs.result}->>'assistantVersion' = ${String(active)}` : undefined,
        sql`${facts} = (${deployment}, ${assistant}, ${String(version ?? '')}, ${options ?? ''})`,
        inArray(input, [...inputs]),
      ),
    )
    .orderBy(input, desc(sql`${experimentPairs.result}->>'startedAt'`))
  return new Map(rows.map(({ input: text, ...last }) => [text, last]))
}

/** Gives a pair that waits the result of an earlier run. */
export async function fillPair(
  id: string,
  pair: Pick<PairRow, 'subject' | 'input'>,
  { result, ...run }: LastResult,
): Promise<void> {
  await (await db())
    .update(experimentPairs)
    .set({ ...run, state: 'ended', result: result && { ...result, isReused: true } })
    .where(and(isPair(id, pair), eq(experimentPairs.state, 'waiting')))
}

import 'server-only'
import { and, asc, count, desc, eq, ilike, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import { AppError } from '@/lib/errors'
import { isUuid } from '@/lib/json/guards'
import {
  type Check,
  EXPERIMENTS_PAGE,
  type ExperimentSummary,
  type InputSet,
  type Subject,
} from '@/lib/stream/experiments'
import type { Actor } from '../access/actor'
import { audited, authorizeWithin } from '../audit/own-records'
import { db } from '../process/db'
import { experimentPairs, experiments, inputSets } from '../process/schema'

/** For someone who is limited to some deployments. */
const MAX_LOOKED_AT = 2_000
const MAX_SETS = 200
/** The instance that starts the runs renews this. */
export const LEASE = sql`now() + interval '20 seconds'`

export type ExperimentRow = typeof experiments.$inferSelect
export type PairRow = typeof experimentPairs.$inferSelect
type Place = { workspace: string; id: string }

const isIt = ({ workspace, id }: Place) => and(eq(experiments.workspace, workspace), eq(experiments.id, id))
const isPair = (id: string, { subject, input }: Pick<PairRow, 'subject' | 'input'>) =>
  and(eq(experimentPairs.experiment, id), eq(experimentPairs.subject, subject), eq(experimentPairs.input, input))

type Asked = { offset?: number; search?: string }

/** A page of a workspace's experiments, the newest first, and one more if there are more. `search`: part of their names. */
export async function listExperiments(
  actor: Actor,
  workspace: string,
  { offset = 0, search = '' }: Asked = {},
): Promise<ExperimentSummary[]> {
  const limit = await authorizeWithin(consoleRecords.readExperiments, actor, workspace)
  const store = await db()
  const isListed = and(
    eq(experiments.workspace, workspace),
    limit ? inArray(experiments.id, await idsWithin(workspace, limit)) : undefined,
    search === '' ? undefined : ilike(experiments.name, `%${search.replace(/[\\%_]/g, '\\$&')}%`),
  )
  const rows = await store
    .select()
    .from(experiments)
    .where(isListed)
    .orderBy(desc(experiments.createdAt), desc(experiments.id))
    .offset(offset)
    .limit(EXPERIMENTS_PAGE + 1)
  if (rows.length === 0) return []
  const done = await store
    .select({ id: experimentPairs.experiment, number: count() })
    .from(experimentPairs)
    .where(
      and(
        inArray(
          experimentPairs.experiment,
          rows.map(({ id }) => id),
        ),
        eq(experimentPairs.state, 'ended'),
      ),
    )
    .groupBy(experimentPairs.experiment)
  return rows.map(({ inputs, createdAt, id, name, createdBy, subjects }) => ({
    ...{ id, name, createdBy },
    subjects: subjects.map(({ options: _, ...one }) => one),
    createdAt: createdAt.toISOString(),
    inputs: inputs.length,
    done: done.find((one) => one.id === id)?.number ?? 0,
    total: inputs.length * subjects.length,
  }))
}

/** The newest experiments whose deployments are all among these. */
async function idsWithin(workspace: string, limit: readonly string[]): Promise<string[]> {
  const rows = await (await db())
    .select({ id: experiments.id, subjects: experiments.subjects })
    .from(experiments)
    .where(eq(experiments.workspace, workspace))
    .orderBy(desc(experiments.createdAt))
    .limit(MAX_LOOKED_AT)
  return rows.flatMap(({ id, subjects }) => (isWithin(subjects, limit) ? [id] : []))
}

const isWithin = (subjects: readonly Subject[], limit: readonly string[]) =>
  subjects.every(({ deployment }) => limit.includes(deployment))

/** Throws AppError not_found. */
export async function findExperiment(actor: Actor, place: Place): Promise<{ row: ExperimentRow; pairs: PairRow[] }> {
  const limit = await authorizeWithin(consoleRecords.readExperiments, actor, place.workspace)
  const store = await db()
  const [row] = isUuid(place.id) ? await store.select().from(experiments).where(isIt(place)) : []
  if (!row || (limit && !isWithin(row.subjects, limit))) throw notFound()
  const pairs = await store
    .select()
    .from(experimentPairs)
    .where(eq(experimentPairs.experiment, place.id))
    .orderBy(asc(experimentPairs.input), asc(experimentPairs.subject))
  return { row, pairs }
}

/** The deployments of an experiment; undefined if there is none. */
async function deploymentsOf(place: Place): Promise<string[] | undefined> {
  const wanted = (await db()).select({ subjects: experiments.subjects }).from(experiments).where(isIt(place))
  const [row] = isUuid(place.id) ? await wanted : []
  return row?.subjects.map(({ deployment }) => deployment)
}

type NewExperiment = Place & { name: string; subjects: Subject[]; inputs: string[]; checks: Check[] }

/** Creates it with all its pairs waiting. The same id by a repeated request changes nothing. */
export async function createExperiment(actor: Actor, made: NewExperiment, requestId: string): Promise<void> {
  const { workspace, id, subjects, inputs } = made
  const about = subjects.map(({ deployment }) => deployment)
  const write = { actor, workspace, about, params: { experiment: id, name: made.name }, requestId }
  await audited(consoleRecords.startExperiment, write, async () => {
    await (await db()).transaction(async (store) => {
      const createdBy = actor.email || actor.id
      const added = await store
        .insert(experiments)
        .values({ ...made, createdBy })
        .onConflictDoNothing()
        .returning()
      if (added.length === 0) return
      const pairs = inputs.flatMap((_, input) =>
        subjects.map((_, subject) => ({ experiment: id, subject, input, state: 'waiting' as const })),
      )
      await store.insert(experimentPairs).values(pairs)
    })
  })
}

/** Takes the experiment for this instance; false if one is running it. Pairs whose start was lost wait again. */
export async function takeExperiment(actor: Actor, place: Place, requestId: string): Promise<boolean> {
  const about = await deploymentsOf(place)
  const write = { actor, workspace: place.workspace, about, params: { experiment: place.id }, requestId }
  return await audited(consoleRecords.continueExperiment, write, async () => {
    const free = or(isNull(experiments.runningUntil), lt(experiments.runningUntil, sql`now()`))
    return await (await db()).transaction(async (store) => {
      const taken = await store
        .update(experiments)
        .set({ runningUntil: LEASE, stoppedAt: null })
        .where(and(isIt(place), free))
        .returning({ id: experiments.id })
      if (taken.length === 0) return false
      await store
        .update(experimentPairs)
        .set({ state: 'waiting', error: null })
        .where(
          and(
            eq(experimentPairs.experiment, place.id),
            or(
              eq(experimentPairs.state, 'failed'),
              and(eq(experimentPairs.state, 'running'), isNull(experimentPairs.recording)),
            ),
          ),
        )
      return true
    })
  })
}

/** No further run is started. Those that were started go on to their end. */
export async function stopExperiment(actor: Actor, place: Place, requestId: string): Promise<void> {
  const about = await deploymentsOf(place)
  const write = { actor, workspace: place.workspace, about, params: { experiment: place.id }, requestId }
  await audited(consoleRecords.stopExperiment, write, async () => {
    await (await db()).update(experiments).set({ stoppedAt: new Date() }).where(isIt(place))
  })
}

type Rating = { subject: number; input: number; thumb: -1 | 1 | null; note: string }

/** Throws AppError not_found. */
export async function ratePair(actor: Actor, place: Place, rating: Rating, requestId: string): Promise<PairRow> {
  const about = await deploymentsOf(place)
  const write = { actor, workspace: place.workspace, about, params: { experiment: place.id }, requestId }
  return await audited(consoleRecords.ratePair, write, async () => {
    const { thumb, note } = rating
    const store = await db()
    if (!isUuid(place.id) || (await store.$count(experiments, isIt(place))) === 0) throw notFound()
    const [row] = await store
      .update(experimentPairs)
      .set({ thumb, note, ratedBy: actor.email || actor.id })
      .where(isPair(place.id, rating))
      .returning()
    if (!row) throw notFound()
    return row
  })
}

export async function deleteExperiment(actor: Actor, place: Place, requestId: string): Promise<void> {
  const about = await deploymentsOf(place)
  const write = { actor, workspace: place.workspace, about, params: { experiment: place.id }, requestId }
  await audited(consoleRecords.deleteExperiment, write, async () => {
    await (await db()).delete(experiments).where(isIt(place))
  })
}

// Input sets are the workspace's. Each write returns all of them.

export async function listInputSets(actor: Actor, workspace: string): Promise<InputSet[]> {
  // A set may hold inputs of any deployment.
  if (await authorizeWithin(consoleRecords.readExperiments, actor, workspace)) return []
  return await selectSets(workspace)
}

const selectSets = async (workspace: string): Promise<InputSet[]> =>
  await (await db())
    .select({ id: inputSets.id, name: inputSets.name, inputs: inputSets.inputs })
    .from(inputSets)
    .where(eq(inputSets.workspace, workspace))
    .orderBy(asc(sql`lower(${inputSets.name})`))

/** Saves under a new name, or replaces the inputs of the set with that name. */
export async function saveInputSet(
  actor: Actor,
  { workspace, name, inputs }: { workspace: string; name: string; inputs: string[] },
  requestId: string,
): Promise<InputSet[]> {
  const write = { actor, workspace, params: { name }, requestId }
  return await audited(consoleRecords.saveInputSet, write, async () => {
    const store = await db()
    const isNamed = and(eq(inputSets.workspace, workspace), sql`lower(${inputSets.name}) = lower(${name})`)
    const changed = await store.update(inputSets).set({ name, inputs }).where(isNamed).returning({ id: inputSets.id })
    if (changed.length === 0) {
      if ((await store.$count(inputSets, eq(inputSets.workspace, workspace))) >= MAX_SETS)
        throw new AppError('conflict', `This workspace already has ${MAX_SETS} input sets. Delete one first.`)
      const createdBy = actor.email || actor.id
      await store.insert(inputSets).values({ workspace, name, inputs, createdBy }).onConflictDoNothing()
    }
    return await selectSets(workspace)
  })
}

export async function deleteInputSet(actor: Actor, { workspace, id }: Place, requestId: string): Promise<InputSet[]> {
  const write = { actor, workspace, params: { set: id }, requestId }
  return await audited(consoleRecords.deleteInputSet, write, async () => {
    await (await db()).delete(inputSets).where(and(eq(inputSets.workspace, workspace), eq(inputSets.id, id)))
    return await selectSets(workspace)
  })
}

const notFound = () => new AppError('not_found', 'This workspace has no such experiment.')

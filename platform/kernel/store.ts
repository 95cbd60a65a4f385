import { randomUUID } from 'node:crypto'
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  ilike,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { SourceConfig, SourceRevisionConfig } from '@/lib/contracts/deployments/deployments'
import type { CommitFacts } from '@/lib/contracts/deployments/revisions'
import { REVISION_STATUSES_IN_PROGRESS, type RevisionStatus } from '@/lib/contracts/wire/state'
import type { Db } from './database'
import { escapeLike, isUniqueViolation } from './database'
import { adoptProject, removeProjectIfRequested } from './projects'
import { type DeploymentRow, deployments, type RevisionRow, revisions, settings, tracingProjects } from './schema'

export type DeploymentFilter = {
  limit: number
  offset: number
  name?: string | undefined
  nameContains?: string | undefined
  status?: string | undefined
  source?: string[] | undefined
  imageVersion?: string | undefined
  deploymentType?: string | undefined
  ids?: string[] | undefined
}
export type NewDeployment = Pick<DeploymentRow, 'id' | 'name' | 'source' | 'sourceConfig' | 'secrets'> & {
  /** Absent: the deployment waits for its first revision. */
  sourceRevisionConfig: SourceRevisionConfig | undefined
}
/** A deployment with the source of its latest revision. */
export type DeploymentWithLatest = DeploymentRow & { latest: SourceRevisionConfig }
/** With the id of its tracing project, for its record. */
export type DeploymentRead = DeploymentWithLatest & { tracingProjectId: string | null }
/** A change of a deployment. Creates a revision if `sourceRevisionConfig` is given. */
export type DeploymentChange = {
  sourceConfig?: SourceConfig
  secrets?: string
  sourceRevisionConfig?: SourceRevisionConfig
}
/** Options of a delete. */
export type DeleteRequest = { isForced: boolean; deletesProject: boolean }

/** Statuses of a revision that a newer one may supersede. */
export const SUPERSEDABLE: readonly RevisionStatus[] = ['CREATING', 'QUEUED']

export class NameTakenError extends Error {}

const latestConfig = { ...getTableColumns(deployments), latest: revisions.sourceRevisionConfig }
const now = sql`now()`

/** Stores deployments and revisions. */
export class Store {
  constructor(private readonly db: Db) {}

  // --- deployments -------------------------------------------------------------------------------------------------

  async insertDeployment(given: NewDeployment): Promise<void> {
    const { sourceRevisionConfig, ...deployment } = given
    try {
      await this.db.transaction(async (tx) => {
        await tx.insert(deployments).values({ ...deployment, status: 'AWAITING_DATABASE' })
        if (sourceRevisionConfig) await insertRevision(tx as unknown as Db, deployment, sourceRevisionConfig)
        await adoptProject(tx as unknown as Db, deployment)
      })
    } catch (error) {
      if (isUniqueViolation(error, 'deployments_name')) throw new NameTakenError()
      throw error
    }
  }

  async findDeployment(id: string): Promise<DeploymentRead | undefined> {
    const [row] = await this.#joined().where(eq(deployments.id, id))
    return row && { ...row, latest: row.latest ?? {} }
  }

  async listDeployments(filter: DeploymentFilter): Promise<DeploymentRead[]> {
    const newestFirst = [desc(deployments.createdAt), desc(deployments.id)]
    // The page first and joins afterwards, so that a late page does not join all rows before it.
    const page = this.db
      .select({ id: deployments.id })
      .from(deployments)
      .where(deploymentConditions(filter))
      .orderBy(...newestFirst)
      .limit(filter.limit)
      .offset(filter.offset)
    const rows = await this.#joined()
      .where(inArray(deployments.id, page))
      .orderBy(...newestFirst)
    return rows.map((row) => ({ ...row, latest: row.latest ?? {} }))
  }

  #joined() {
    return this.db
      .select({ ...latestConfig, tracingProjectId: tracingProjects.id })
      .from(deployments)
      .leftJoin(revisions, eq(revisions.id, deployments.latestRevisionId))
      .leftJoin(tracingProjects, eq(tracingProjects.deploymentId, deployments.id))
  }

  /**
   * Changes a locked deployment: `decide` gets the current one and returns the change, or throws. Returns the id of the
   * new revision; undefined if there is none, or no such deployment.
   */
  async changeDeployment(
    id: string,
    decide: (current: DeploymentWithLatest) => DeploymentChange,
  ): Promise<string | undefined> {
    return this.db.transaction(async (tx) => {
      const [current] = await tx.select().from(deployments).where(eq(deployments.id, id)).for('update')
      if (!current) return undefined
      const [latest] = await tx
        .select({ config: revisions.sourceRevisionConfig })
        .from(revisions)
        .where(eq(revisions.id, current.latestRevisionId ?? id))
      const { sourceRevisionConfig, ...change } = decide({ ...current, latest: latest?.config ?? {} })
      await tx
        .update(deployments)
        .set({ ...change, updatedAt: now })
        .where(eq(deployments.id, id))
      if (!sourceRevisionConfig) return undefined
      return insertRevision(tx as unknown as Db, { ...current, ...change }, sourceRevisionConfig)
    })
  }

  async setDeploymentReady(id: string): Promise<void> {
    const ofNew = and(eq(deployments.id, id), eq(deployments.status, 'AWAITING_DATABASE'))
    await this.db.update(deployments).set({ status: 'READY' }).where(ofNew)
  }

  /** Options accumulate: a second delete without the tracing-project option does not cancel it. */
  async markDeleting(id: string, { isForced, deletesProject }: DeleteRequest): Promise<void> {
    await this.db
      .update(deployments)
      .set({
        status: 'AWAITING_DELETE',
        isForced: sql`${deployments.isForced} or ${isForced}`,
        deletesProject: sql`${deployments.deletesProject} or ${deletesProject}`,
        updatedAt: now,
      })
      .where(eq(deployments.id, id))
  }

  async removeDeployment(id: string): Promise<void> {
    // If this is interrupted, the delete starts again.
    await removeProjectIfRequested(this.db, id)
    await this.db.delete(deployments).where(eq(deployments.id, id))
  }

  async countDeployments(deploymentType: string): Promise<number> {
    return this.db.$count(deployments, deploymentConditions({ deploymentType }))
  }

  /** The addresses that deployments have been given. */
  async customUrls(): Promise<{ id: string; url: string }[]> {
    const url = sql<string>`${deployments.sourceConfig} ->> 'custom_url'`
    return this.db
      .select({ id: deployments.id, url })
      .from(deployments)
      .where(and(isNotNull(url), ne(deployments.status, 'AWAITING_DELETE')))
  }

  /** That of one deployment: null if it has none, undefined if the deployment is gone or going. */
  async customUrlOf(id: string): Promise<string | null | undefined> {
    const url = sql<string | null>`${deployments.sourceConfig} ->> 'custom_url'`
    const isThere = and(eq(deployments.id, id), ne(deployments.status, 'AWAITING_DELETE'))
    const [row] = await this.db.select({ url }).from(deployments).where(isThere)
    return row?.url
  }

  async deploymentIds(): Promise<string[]> {
    return (await this.db.select({ id: deployments.id }).from(deployments)).map(({ id }) => id)
  }

  /** Deployments that never rolled out, or one of them, with the status of their latest revision; null: they have none. */
  async unserved(id?: string): Promise<{ id: string; latest: string | null }[]> {
    return this.db
      .select({ id: deployments.id, latest: revisions.status })
      .from(deployments)
      .leftJoin(revisions, eq(revisions.id, deployments.latestRevisionId))
      .where(and(isNull(deployments.activeRevisionId), id === undefined ? undefined : eq(deployments.id, id)))
  }

  /** Deployments with pending work or a serving revision, oldest first, for the platform's start. */
  async deploymentsToResume(): Promise<Pick<DeploymentRow, 'id' | 'status' | 'activeRevisionId'>[]> {
    const { id, status, activeRevisionId } = deployments
    const unfinished = this.db
      .select({ id: revisions.deploymentId })
      .from(revisions)
      .where(inArray(revisions.status, [...REVISION_STATUSES_IN_PROGRESS]))
    return this.db
      .select({ id, status, activeRevisionId })
      .from(deployments)
      .where(
        or(
          inArray(status, ['AWAITING_DATABASE', 'AWAITING_DELETE']),
          isNotNull(activeRevisionId),
          inArray(id, unfinished),
        ),
      )
      .orderBy(asc(deployments.createdAt))
  }

  // --- revisions ---------------------------------------------------------------------------------------------------

  async findRevision(deploymentId: string, id: string): Promise<RevisionRow | undefined> {
    const [row] = await this.db
      .select()
      .from(revisions)
      .where(and(eq(revisions.id, id), eq(revisions.deploymentId, deploymentId)))
    return row
  }

  async listRevisions(
    deploymentId: string,
    { limit, offset, statuses }: { limit: number; offset: number; statuses?: string[] | undefined },
  ): Promise<RevisionRow[]> {
    return this.db
      .select()
      .from(revisions)
      .where(and(eq(revisions.deploymentId, deploymentId), statuses && inArray(revisions.status, statuses)))
      .orderBy(desc(revisions.number))
      .limit(limit)
      .offset(offset)
  }

  /** Sets a revision's status, unless it is already finished. Returns whether it did. */
  async moveRevision(
    id: string,
    status: RevisionStatus,
    from: readonly RevisionStatus[] = REVISION_STATUSES_IN_PROGRESS,
  ): Promise<boolean> {
    const moved = await this.db
      .update(revisions)
      .set(begun(status))
      .where(and(eq(revisions.id, id), inArray(revisions.status, [...from])))
      .returning({ id: revisions.id })
    return moved.length > 0
  }

  /** Queues a finished revision again. */
  async requeueRevision(id: string, from: readonly RevisionStatus[]): Promise<boolean> {
    const moved = await this.db
      .update(revisions)
      .set({ ...begun('QUEUED'), queuedAt: sql`clock_timestamp()` })
      .where(and(eq(revisions.id, id), inArray(revisions.status, [...from])))
      .returning({ id: revisions.id })
    return moved.length > 0
  }

  async setCommit(id: string, sha: string, facts: CommitFacts | null): Promise<void> {
    const config = sql`${revisions.sourceRevisionConfig} || ${JSON.stringify({ repo_commit_sha: sha })}::jsonb`
    await this.db
      .update(revisions)
      .set({ sourceRevisionConfig: config, commit: facts, updatedAt: now })
      .where(eq(revisions.id, id))
  }

  async setImage(id: string, image: string): Promise<void> {
    await this.db.update(revisions).set({ image, updatedAt: now }).where(eq(revisions.id, id))
  }

  /** The commit of the newest revision of a ref that has one. */
  async newestCommit(deploymentId: string, ref: string): Promise<string | undefined> {
    const config = revisions.sourceRevisionConfig
    const commit = sql<string>`${config}->>'repo_commit_sha'`
    const [row] = await this.db
      .select({ commit })
      .from(revisions)
      .where(
        and(eq(revisions.deploymentId, deploymentId), sql`${config}->>'repo_ref' = ${ref}`, sql`${commit} is not null`),
      )
      .orderBy(desc(revisions.number))
      .limit(1)
    return row?.commit
  }

  async setBuilt(id: string): Promise<void> {
    await this.db.update(revisions).set({ builtAt: now, updatedAt: now }).where(eq(revisions.id, id))
  }

  /** Deployments with `build_on_push`, with the state of their latest revision. */
  async watchedDeployments(): Promise<(DeploymentWithLatest & { latestStatus: string | null })[]> {
    const rows = await this.db
      .select({ ...latestConfig, latestStatus: revisions.status })
      .from(deployments)
      .leftJoin(revisions, eq(revisions.id, deployments.latestRevisionId))
      .where(and(eq(deployments.status, 'READY'), sql`${deployments.sourceConfig}->'build_on_push' = 'true'::jsonb`))
    return rows.map((row) => ({ ...row, latest: row.latest ?? {} }))
  }

  /** Shows that a revision waits for its turn. */
  async queueNew(deploymentId: string): Promise<void> {
    await this.db
      .update(revisions)
      .set(begun('QUEUED'))
      .where(and(eq(revisions.deploymentId, deploymentId), eq(revisions.status, 'CREATING')))
  }

  /**
   * The next revision to work on: one in progress (the platform was killed), or the newest queued one. `superseded` are
   * skipped from now on.
   */
  async nextRevision(deploymentId: string): Promise<{ next?: RevisionRow; superseded: RevisionRow[] }> {
    const open = await this.db
      .select()
      .from(revisions)
      .where(
        and(eq(revisions.deploymentId, deploymentId), inArray(revisions.status, [...REVISION_STATUSES_IN_PROGRESS])),
      )
      .orderBy(asc(revisions.queuedAt), asc(revisions.number))
    const begun = open.find((revision) => !SUPERSEDABLE.includes(revision.status))
    const next = begun ?? open.at(-1)
    if (begun || !next) return { next, superseded: [] }
    const superseded: RevisionRow[] = []
    for (const revision of open.slice(0, -1))
      if (await this.moveRevision(revision.id, 'SKIPPED', SUPERSEDABLE)) superseded.push(revision)
    return { next, superseded }
  }

  /** Makes a revision the serving one. False if it was interrupted at that moment. */
  async activate(deploymentId: string, revisionId: string, imageVersion: string): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const moved = await tx
        .update(revisions)
        .set(begun('DEPLOYED'))
        .where(and(eq(revisions.id, revisionId), eq(revisions.status, 'DEPLOYING')))
        .returning({ id: revisions.id })
      if (!moved.length) return false
      const ofLiving = and(eq(deployments.id, deploymentId), ne(deployments.status, 'AWAITING_DELETE'))
      await tx.update(deployments).set({ activeRevisionId: revisionId, imageVersion }).where(ofLiving)
      return true
    })
  }

  // --- settings ----------------------------------------------------------------------------------------------------

  /** The value of a key; created by `make` on first use. */
  async setting<T>(key: string, make: () => T): Promise<T> {
    await this.db.insert(settings).values({ key, value: make() }).onConflictDoNothing()
    const [row] = await this.db.select().from(settings).where(eq(settings.key, key))
    return row?.value as T
  }

  async setSetting(key: string, value: unknown): Promise<void> {
    await this.db.insert(settings).values({ key, value }).onConflictDoUpdate({ target: settings.key, set: { value } })
  }

  async deploymentNames(): Promise<{ id: string; name: string }[]> {
    return await this.db.select({ id: deployments.id, name: deployments.name }).from(deployments)
  }

  async hasSetting(key: string): Promise<boolean> {
    return (await this.db.select().from(settings).where(eq(settings.key, key))).length > 0
  }
}

const timed = (status: RevisionStatus) =>
  sql`jsonb_build_object('status', ${status}::text, 'at', to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** A status that begins now; one that is set again after a restart of the platform began before. */
const begun = (status: RevisionStatus) => ({
  status,
  statusHistory: sql`case when ${revisions.status} = ${status} then ${revisions.statusHistory}
    else ${revisions.statusHistory} || ${timed(status)} end`,
  updatedAt: now,
})

async function insertRevision(
  tx: Db,
  deployment: Pick<DeploymentRow, 'id' | 'source' | 'sourceConfig' | 'secrets'>,
  sourceRevisionConfig: SourceRevisionConfig,
): Promise<string> {
  const id = randomUUID()
  const { id: deploymentId, source, sourceConfig, secrets } = deployment
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from ${revisions} where ${eq(revisions.deploymentId, deploymentId)})`
  const statusHistory = sql`jsonb_build_array(${timed('CREATING')})`
  const values = { id, deploymentId, number, source, sourceConfig, sourceRevisionConfig, secrets, statusHistory }
  await tx.insert(revisions).values({ ...values, status: 'CREATING' })
  await tx.update(deployments).set({ latestRevisionId: id }).where(eq(deployments.id, deploymentId))
  return id
}

function deploymentConditions(filter: Omit<DeploymentFilter, 'limit' | 'offset'>): SQL | undefined {
  const { name, nameContains, status, source, imageVersion, deploymentType, ids } = filter
  return and(
    name === undefined ? undefined : eq(deployments.name, name),
    nameContains ? ilike(deployments.name, `%${escapeLike(nameContains)}%`) : undefined,
    status === undefined ? undefined : eq(deployments.status, status),
    source && inArray(deployments.source, source),
    imageVersion === undefined ? undefined : eq(deployments.imageVersion, imageVersion),
    deploymentType === undefined ? undefined : sql`${deployments.sourceConfig}->>'deployment_type' = ${deploymentType}`,
    ids && inArray(deployments.id, ids),
  )
}

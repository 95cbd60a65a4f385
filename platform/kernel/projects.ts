import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { type Db, PORTION, removeAll } from './database'
import { deployments, tracingProjects } from './schema'

/**
 * Gives a new deployment the tracing project of its name, in the same transaction. An existing project, from a deleted
 * deployment or an early log, is adopted with its traces.
 */
export async function adoptProject(tx: Db, deployment: { id: string; name: string }): Promise<void> {
  const { id: deploymentId, name } = deployment
  await tx
    .insert(tracingProjects)
    .values({ name, deploymentId })
    .onConflictDoUpdate({ target: tracingProjects.name, set: { deploymentId } })
}

/** Removes the runs of projects, so that removing the projects themselves holds no locks for long. */
export async function removeRunsOf(db: Db, projects: SQL, portion = PORTION): Promise<void> {
  await removeAll(
    db,
    sql`delete from platform.trace_runs where id in (
      select id from platform.trace_runs where project_id in (${projects}) limit ${portion})`,
  )
}

/** Removes a deployment's project if its delete requested that. Call it before the deployment's row is removed. */
export async function removeProjectIfRequested(db: Db, deploymentId: string): Promise<void> {
  const asked = db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.id, deploymentId), deployments.deletesProject))
  const isAsked = inArray(tracingProjects.deploymentId, asked)
  await removeRunsOf(db, sql`${db.select({ id: tracingProjects.id }).from(tracingProjects).where(isAsked)}`)
  await db.delete(tracingProjects).where(isAsked)
}

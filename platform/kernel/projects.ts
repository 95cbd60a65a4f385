import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from './database'
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

/** Removes a deployment's project if its delete requested that. Call it before the deployment's row is removed. */
export async function removeProjectIfRequested(tx: Db, deploymentId: string): Promise<void> {
  const asked = tx
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.id, deploymentId), deployments.deletesProject))
  await tx.delete(tracingProjects).where(inArray(tracingProjects.deploymentId, asked))
}

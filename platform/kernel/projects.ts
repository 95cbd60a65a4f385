import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from './database'
import { deployments, tracingProjects } from './schema'

/**
 * Gives a deployment the tracing project of its name, inside the transaction that makes the deployment. A project that
 * is there already, left by a deployment that was deleted or made by the first program that logged to it, is adopted with all
 * its traces.
 */
export async function adoptProject(tx: Db, deployment: { id: string; name: string }): Promise<void> {
  const { id: deploymentId, name } = deployment
  await tx
    .insert(tracingProjects)
    .values({ name, deploymentId })
    .onConflictDoUpdate({ target: tracingProjects.name, set: { deploymentId } })
}

/** Removes a deployment's project where its delete asked for that; to be called before the deployment's row goes. */
export async function removeProjectIfRequested(tx: Db, deploymentId: string): Promise<void> {
  const asked = tx
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.id, deploymentId), deployments.deletesProject))
  await tx.delete(tracingProjects).where(inArray(tracingProjects.deploymentId, asked))
}

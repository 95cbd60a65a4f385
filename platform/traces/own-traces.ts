import { eq, inArray, or } from 'drizzle-orm'
import type { Db } from '../kernel/database'
import { adoptProject } from '../kernel/projects'
import { deployments, tracingProjects } from '../kernel/schema'
import { type IntakeRequest, uuidOf } from './intake-request'
import { traceFeedback, traceRuns } from './schema'

const REFUSAL = "A deployment's key logs runs of this deployment only"

/**
 * Limits a request to the traces of one deployment: its runs go to the deployment's project, and what names another project
 * or touches a run of one is refused.
 */
export async function keepOwn(db: Db, pieces: IntakeRequest, deploymentId: string): Promise<void> {
  const own = await ownProject(db, deploymentId)
  const named = new Set<string>()
  const name = (...ids: unknown[]) => {
    for (const id of ids.map(uuidOf)) if (id) named.add(id)
  }
  for (const { id, main } of pieces.runs) name(id, main.trace_id, main.parent_run_id)
  for (const { runId } of pieces.attachments) name(runId)
  for (const { id, run_id, trace_id } of pieces.feedback) name(id, run_id, trace_id)
  const foreign = await foreignAmong(db, [...named], own?.id)
  const isForeign = (...ids: unknown[]) => !own || ids.map(uuidOf).some((id) => id && foreign.has(id))

  for (const piece of pieces.runs) {
    const { id, kind, main } = piece
    const isElsewhere =
      (main.session_id && uuidOf(main.session_id) !== own?.id) ||
      (main.session_name && !own?.names.includes(main.session_name))
    if (isElsewhere || isForeign(id, main.trace_id, main.parent_run_id)) {
      pieces.refuse([`${kind}.${id}`], REFUSAL, 'forbidden')
      pieces.drop(piece)
    } else main.session_id = own?.id
  }
  pieces.attachments = pieces.attachments.filter(({ runId }) => {
    if (isForeign(runId)) pieces.refuse([`attachment.${runId}`], REFUSAL, 'forbidden')
    return !isForeign(runId)
  })
  pieces.feedback = pieces.feedback.filter(({ id, run_id, trace_id }) => {
    if (isForeign(id, run_id, trace_id)) pieces.refuse([`feedback.${id}`], REFUSAL, 'forbidden')
    return !isForeign(id, run_id, trace_id)
  })
}

/** The deployment's project, created again if it was deleted; undefined if the deployment is gone. */
async function ownProject(db: Db, deploymentId: string): Promise<{ id: string; names: unknown[] } | undefined> {
  const find = async () => {
    const [found] = await db
      .select({ id: tracingProjects.id, project: tracingProjects.name, name: deployments.name })
      .from(deployments)
      .leftJoin(tracingProjects, eq(tracingProjects.deploymentId, deployments.id))
      .where(eq(deployments.id, deploymentId))
    return found
  }
  let found = await find()
  if (found && !found.id) {
    await adoptProject(db, { id: deploymentId, name: found.name })
    found = await find()
  }
  return found?.id ? { id: found.id, names: [found.project, found.name] } : undefined
}

/** Those of the ids that are runs of other projects, or feedback on them. */
async function foreignAmong(db: Db, ids: string[], own: string | undefined): Promise<Set<string>> {
  const foreign = new Set<string>()
  for (let at = 0; at < ids.length; at += 1000) {
    const some = ids.slice(at, at + 1000)
    const runs = await db
      .select({ id: traceRuns.id, traceId: traceRuns.traceId, projectId: traceRuns.projectId })
      .from(traceRuns)
      .where(or(inArray(traceRuns.id, some), inArray(traceRuns.traceId, some)))
    for (const { id, traceId, projectId } of runs)
      if (projectId && projectId !== own) for (const one of [id, traceId]) if (one) foreign.add(one)
    const feedback = await db
      .select({ id: traceFeedback.id, projectId: traceRuns.projectId })
      .from(traceFeedback)
      .innerJoin(traceRuns, eq(traceRuns.id, traceFeedback.runId))
      .where(inArray(traceFeedback.id, some))
    for (const { id, projectId } of feedback) if (projectId !== own) foreign.add(id)
  }
  return foreign
}

import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { AppError } from '@/lib/errors'
import { revisionSource } from '@/lib/format/revision-source'
import { revisionName, type Subject } from '@/lib/stream/experiments'
import type { Actor } from '../access/actor'
import { mapConcurrent } from '../process/map-concurrent'
import { call } from '../upstream/call'
import { type LastResult, lastResults } from './pairs'

/** The revision of a deployment that serves now; null if it has none. */
export async function servingRevision(actor: Actor, workspace: string, deployment: string): Promise<string | null> {
  const found = await call(controlPlane.getDeployment, { workspace, params: { deployment_id: deployment } }, { actor })
  return found.active_revision_id ?? null
}

/** The revision that a run of this column gets now; null if unknown. Throws AppError if the column is of another one. */
export async function revisionToRun(actor: Actor, workspace: string, subject: Subject): Promise<string | null> {
  const { isPinned, revision, deployment, deploymentName } = subject
  const reading = servingRevision(actor, workspace, deployment)
  if (!isPinned) return await reading.catch(() => null)
  const serving = await reading
  if (serving === revision) return serving
  const name = revisionName(revision)
  const message = `${deploymentName} serves ${revisionName(serving)} now, so ${name} cannot run. Redeploy or roll back to ${name}, then choose Run.`
  throw new AppError('conflict', message)
}

/** The columns with what their pinned revisions were built of. Throws AppError if there is no such revision. */
export const withSources = (actor: Actor, workspace: string, subjects: readonly Subject[]): Promise<Subject[]> =>
  mapConcurrent(subjects, async (subject, index) => {
    const { isPinned, revision, deployment, deploymentName } = subject
    if (!isPinned || revision === null) return subject
    const params = { deployment_id: deployment, revision_id: revision }
    const found = await call(controlPlane.getRevision, { workspace, params }, { actor }).catch((error: unknown) => {
      if (!(error instanceof AppError && (error.code === 'not_found' || error.code === 'invalid'))) throw error
      const message = `${deploymentName} has no ${revisionName(revision)}.`
      throw new AppError('invalid', message, { fields: [{ path: ['subjects', index, 'revision'], message }] })
    })
    const source = revisionSource(found)
    return source === undefined ? subject : { ...subject, source }
  })

type Made = { workspace: string; subjects: readonly Subject[]; inputs: readonly string[] }
type Earlier = { subject: number; input: number; last: LastResult }

/** The last results on the same inputs of the columns whose revision does not serve. */
export async function earlierResults(actor: Actor, { workspace, subjects, inputs }: Made): Promise<Earlier[]> {
  const found = await mapConcurrent(subjects, async (subject, at): Promise<Earlier[]> => {
    const { isPinned, revision, deployment: deploymentId, assistant, version } = subject
    if (!isPinned || revision === (await servingRevision(actor, workspace, deploymentId))) return []
    const place = { workspace, deploymentId, params: { assistant_id: assistant } }
    // The revision that serves may lack the graph. Then it is unknown whether the assistant has changed.
    const active = version ?? (await call(agentServer.getAssistant, place, { actor }).catch(() => undefined))?.version
    if (active == null) return []
    const results = await lastResults(workspace, subject, active, inputs)
    return inputs.flatMap((text, input) => {
      const last = results.get(text)
      return last ? [{ subject: at, input, last }] : []
    })
  })
  return found.flat()
}

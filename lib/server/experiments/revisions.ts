import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { AppError } from '@/lib/errors'
import { revisionSource } from '@/lib/format/revision-source'
import { revisionName, type Subject } from '@/lib/stream/experiments'
import type { Actor } from '../access/actor'
import { mapConcurrent } from '../process/map-concurrent'
import { call } from '../upstream/call'
import { fillPair, lastResults } from './pairs'

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

type Made = { workspace: string; id: string; subjects: readonly Subject[]; inputs: readonly string[] }

/** Gives columns whose revision does not serve their last results on the same inputs. */
export async function reuseResults(actor: Actor, { workspace, id, subjects, inputs }: Made): Promise<void> {
  for (const [at, subject] of subjects.entries()) {
    const { isPinned, revision, deployment: deploymentId, assistant, version } = subject
    if (!isPinned || revision === (await servingRevision(actor, workspace, deploymentId))) continue
    const place = { workspace, deploymentId, params: { assistant_id: assistant } }
    const active = version === null ? (await call(agentServer.getAssistant, place, { actor })).version : null
    if (active === undefined) continue
    const found = await lastResults({ workspace, id }, { ...subject, active }, inputs)
    for (const [input, text] of inputs.entries()) {
      const last = found.get(text)
      if (last) await fillPair(id, { subject: at, input }, last)
    }
  }
}

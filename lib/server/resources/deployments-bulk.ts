import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { BulkResult } from '@/lib/contracts/wire/bulk'
import { deploymentsWith } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { type Actor, rightsOf } from '../access/actor'
import { mapConcurrent } from '../process/map-concurrent'
import { call } from '../upstream/call'
import { authorize } from '../upstream/call-context'

/** The most ids that one request accepts. */
const CHUNK = 100

type Input = { workspace: string; ids: readonly string[] }

/**
 * Deletes deployments, one by one where the server has no bulk delete, and looks up the outcome of each, because the
 * response to a bulk delete is undocumented. Throws AppError only if nothing was sent.
 */
export async function bulkDelete({ workspace, ids }: Input, actor: Actor): Promise<BulkResult[]> {
  const results: BulkResult[] = []
  for (let at = 0; at < ids.length; at += CHUNK) {
    const chunk = ids.slice(at, at + CHUNK)
    try {
      results.push(...(await deleteChunk(workspace, chunk, actor)))
    } catch (error) {
      // Keep the outcomes of earlier chunks when a later one fails.
      if (at === 0) throw error
      results.push(...ids.slice(at).map((id) => failed(id, `It was not sent: ${messageOf(error)}`)))
      break
    }
  }
  return results
}

async function deleteChunk(workspace: string, ids: readonly string[], actor: Actor): Promise<BulkResult[]> {
  let reported: unknown
  let failure: AppError | undefined
  try {
    // Who administers only some deployments may delete those, one by one.
    if (deploymentsWith(await rightsOf(actor, workspace), 'admin') !== null) {
      await authorize(controlPlane.deleteDeployment, { workspace }, actor)
      return await mapConcurrent(ids, (id) =>
        authorize(controlPlane.deleteDeployment, { workspace, params: { deployment_id: id } }, actor).then(
          () => deleteOne(workspace, id, actor),
          (error: unknown) => failed(id, messageOf(error)),
        ),
      )
    }
    const query = { deployment_ids: [...ids] }
    reported = await call(controlPlane.deleteDeployments, { workspace, query }, { actor })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'unsupported' && error.view.upstreamStatus !== undefined)
      return mapConcurrent(ids, (id) => deleteOne(workspace, id, actor))
    if (isNothingSent(error)) throw error
    failure = error
  }
  const reasons = reasonsIn(reported)
  return mapConcurrent(ids, (id) => lookUp(workspace, id, actor, reasons.get(id) ?? failure?.message))
}

/** Whether the whole request was refused before anything was done. */
const isNothingSent = ({ code, view }: AppError) =>
  ['unauthenticated', 'forbidden', 'invalid', 'unsupported', 'upstream_refused_key', 'rate_limited'].includes(code) ||
  (code === 'not_found' && view.upstreamStatus === undefined)

/** The reasons per deployment that the response names, by `deployment_id` or `id` in any of its lists. */
function reasonsIn(reported: unknown): Map<string, string> {
  const lists = typeof reported === 'object' && reported !== null ? Object.values(reported).filter(Array.isArray) : []
  return new Map(
    lists.flat().flatMap((item: unknown): [string, string][] => {
      if (typeof item !== 'object' || item === null) return []
      const { deployment_id, id, detail, error, message } = item as Record<string, unknown>
      const reason = [detail, error, message].find((text) => typeof text === 'string')
      return typeof reason === 'string' ? [[String(deployment_id ?? id), reason]] : []
    }),
  )
}

async function deleteOne(workspace: string, id: string, actor: Actor): Promise<BulkResult> {
  const params = { deployment_id: id }
  const problem = await call(controlPlane.deleteDeployment, { workspace, params }, { actor }).then(
    () => undefined,
    messageOf,
  )
  return lookUp(workspace, id, actor, problem)
}

/** Looks up the actual outcome for one deployment. */
async function lookUp(workspace: string, id: string, actor: Actor, problem: string | undefined): Promise<BulkResult> {
  try {
    const { status } = await call(controlPlane.getDeployment, { workspace, params: { deployment_id: id } }, { actor })
    if (status === 'AWAITING_DELETE') return { id, outcome: 'deleting' }
    return failed(id, problem ?? 'The server accepted the request, but the deployment still exists.')
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return { id, outcome: 'deleted' }
    return { id, outcome: 'unknown', reason: problem ?? messageOf(error) }
  }
}

const failed = (id: string, reason: string): BulkResult => ({ id, outcome: 'failed', reason })
const messageOf = (error: unknown) =>
  error instanceof AppError ? error.message : 'Something went wrong in the console.'

import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { ThreadResult } from '@/lib/contracts/agents/thread-edit'
import type { Operation } from '@/lib/contracts/wire/api'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import type { Actor } from '../../access/actor'
import { isOpen } from '../../edits/ambiguous-write'
import { mapConcurrent } from '../../process/map-concurrent'
import { call } from '../../upstream/call'
import { authorize } from '../../upstream/call-context'

export type ThreadSelection = { workspace: string; deploymentId: string; ids: readonly string[] }
type Place = DeploymentPlace & { id: string }

/** Deletes each thread separately and returns the outcomes. A thread that is already gone counts as done. */
export async function deleteThreads(selection: ThreadSelection, actor: Actor): Promise<ThreadResult[]> {
  await mayAll(agentServer.deleteThread, selection, actor)
  return await each(selection, async ({ workspace, deploymentId, id }) => {
    const input = { workspace, deploymentId, params: { thread_id: id } }
    try {
      await call(agentServer.deleteThread, input, { actor })
      return { id, outcome: 'done' }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'not_found' && error.view.upstreamStatus === 404) return { id, outcome: 'done' }
      const { message } = error
      if (!isOpen(error)) return { id, outcome: 'failed', reason: message }
      const isThere = await find({ workspace, deploymentId, id }, actor).catch(() => undefined)
      if (isThere === false) return { id, outcome: 'done' }
      return { id, outcome: isThere ? 'failed' : 'unknown', reason: message }
    }
  })
}

async function find({ workspace, deploymentId, id }: Place, actor: Actor): Promise<boolean> {
  const body = { ids: [id], select: ['thread_id'], limit: 1 }
  return (await call(agentServer.searchThreads, { workspace, deploymentId, body }, { actor })).length > 0
}

/** Cancels the running and pending runs of each thread. The threads keep what the runs did so far. */
export async function cancelRunsOf(selection: ThreadSelection, actor: Actor): Promise<ThreadResult[]> {
  await mayAll(agentServer.cancelRun, selection, actor)
  return await each(selection, async ({ workspace, deploymentId, id }) => {
    const runs = []
    // Pending runs first, or the next one would start when the running one ends.
    for (const status of ['pending', 'running'] as const) {
      const input = { workspace, deploymentId, params: { thread_id: id }, query: { status, limit: 100 } }
      runs.push(...(await call(agentServer.listRuns, input, { actor })).filter((run) => run.status === status))
    }
    const problems: string[] = []
    let ended = 0
    for (const { run_id } of runs) {
      const input = {
        workspace,
        deploymentId,
        params: { thread_id: id, run_id },
        query: { action: 'interrupt' as const },
      }
      await call(agentServer.cancelRun, input, { actor }).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        // It ended in the meantime.
        if (error.code === 'not_found' || error.code === 'conflict') ended++
        else problems.push(error.message)
      })
    }
    if (problems.length > 0) return { id, outcome: 'failed', reason: problems[0] }
    const number = runs.length - ended
    if (number === 0) return { id, outcome: 'nothing' }
    return { id, outcome: 'done', reason: number === 1 ? '1 run' : `${number} runs` }
  })
}

/** Checks the role once before anything is read or sent, so that a denial is audited once. */
const mayAll = (op: Operation, { workspace, deploymentId }: ThreadSelection, actor: Actor) =>
  authorize(op, { workspace, deploymentId }, actor)

/** Runs `work` for each id with limited concurrency and keeps the order. One failure does not affect the others. */
async function each(
  selection: ThreadSelection,
  work: (place: Place) => Promise<ThreadResult>,
): Promise<ThreadResult[]> {
  const { workspace, deploymentId, ids } = selection
  return await mapConcurrent(ids, (id) =>
    work({ workspace, deploymentId, id }).catch((error: unknown): ThreadResult => {
      if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'unauthenticated') throw error
      return { id, outcome: 'failed', reason: error.message }
    }),
  )
}

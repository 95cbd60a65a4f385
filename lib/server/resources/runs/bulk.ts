import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { CancelAction } from '@/lib/contracts/agents/run-options'
import { type RunResult, targetOf } from '@/lib/contracts/agents/run-row'
import { AppError } from '@/lib/errors'
import type { Actor } from '../../access/actor'
import { mapConcurrent } from '../../process/map-concurrent'
import { cancelRecording } from '../../recorder/start'
import { readRecording } from '../../records/recordings'
import { call } from '../../upstream/call'
import { authorize } from '../../upstream/call-context'

/** `ids` are row ids, as in the run lists. */
export type CancelRequest = { workspace: string; action: CancelAction; ids: readonly string[] }

/** Cancels each run separately and returns the outcomes in the same order. */
export async function cancelRuns({ workspace, action, ids }: CancelRequest, actor: Actor): Promise<RunResult[]> {
  // Check the role once before anything is sent, so that a denial is audited once.
  await authorize(agentServer.cancelRun, { workspace }, actor)
  return await mapConcurrent(ids, (id) => cancelOne(workspace, action, id, actor))
}

async function cancelOne(workspace: string, action: CancelAction, id: string, actor: Actor): Promise<RunResult> {
  const target = targetOf(id)
  try {
    if (target.kind === 'recording') {
      const place = { workspace, recording: target.id }
      if ((await readRecording(actor, place)).phase === 'ended') return { id, outcome: 'nothing' }
      await cancelRecording(actor, place, action)
    } else {
      const { deployment: deploymentId, thread, run } = target
      const input = { workspace, deploymentId, params: { thread_id: thread, run_id: run }, query: { action } }
      await call(agentServer.cancelRun, input, { actor })
    }
    return { id, outcome: 'done' }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'unauthenticated') throw error
    const status = error.view.upstreamStatus
    if (status === 404 || status === 409) return { id, outcome: 'nothing' }
    return { id, outcome: 'failed', reason: error.message }
  }
}

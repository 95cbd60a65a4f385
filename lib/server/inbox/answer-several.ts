import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { AnsweredThread } from '@/lib/contracts/wire/bulk'
import { AppError } from '@/lib/errors'
import type { GivenAnswer } from '@/lib/stream/inbox'
import type { Actor } from '../access/actor'
import { isOpen } from '../edits/ambiguous-write'
import { mapConcurrent } from '../process/map-concurrent'
import { authorize } from '../upstream/call-context'
import { answerThread } from './inbox-thread'

export type ThreadAnswer = { deploymentId: string; thread: string; answers: readonly GivenAnswer[] }

/**
 * Answers several threads, each with its own recorded run, and returns the outcome of each. A thread that somebody else has
 * answered meanwhile is skipped (`passed`). Where no stream is free, threads are `queued`: asking again with the same key
 * keeps their place.
 */
export async function answerThreads(
  workspace: string,
  threads: readonly ThreadAnswer[],
  key: string,
  actor: Actor,
): Promise<AnsweredThread[]> {
  // Check the role once before anything is read, so that a denial is audited once.
  await authorize(agentServer.createRunStream, { workspace }, actor)
  /** Deployments without a free stream: their other threads wait behind those that have a place, and are not read. */
  const full = new Set<string>()
  return await mapConcurrent(threads, async ({ deploymentId, thread, answers }): Promise<AnsweredThread> => {
    const id = `${deploymentId} ${thread}`
    if (full.has(deploymentId)) return { id, outcome: 'queued' }
    try {
      // One key per thread, so that a repeated request starts no run twice.
      const run = await answerThread({ workspace, deploymentId, thread }, answers, `${key} ${id}`, actor)
      return { id, outcome: 'answered', run: run.id }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'unauthenticated') throw error
      const { message: reason } = error
      const { queue, retryAfterMs } = error.view
      if (queue) {
        full.add(deploymentId)
        return { id, outcome: 'queued', queue, retryAfterMs }
      }
      if (error.code === 'conflict') return { id, outcome: 'passed', reason }
      return { id, outcome: isOpen(error) ? 'unknown' : 'failed', reason }
    }
  })
}

'use client'
import { useRef, useState } from 'react'
import { useQueued } from '@/components/shared/form/use-queued'
import { answerThreads } from '@/lib/actions/inbox'
import type { AnsweredThread } from '@/lib/contracts/wire/bulk'
import type { ErrorView, Result } from '@/lib/errors'

export type ThreadToAnswer = { id: string; deploymentId: string; thread: string; answers: string }

/**
 * Sends answers of several threads, and those again that wait for a free stream. `queued`: the first place among them, and
 * how to stop waiting; `told`: how many threads have an outcome.
 */
export function useJointAnswers(workspace: string) {
  const { queued, attempt } = useQueued()
  const outcomes = useRef(new Map<string, AnsweredThread>())
  const round = useRef(0)
  const [told, setTold] = useState(0)

  async function send(key: string, threads: readonly ThreadToAnswer[]): Promise<Result<AnsweredThread[]>> {
    const done = outcomes.current
    let isWaiting = false
    const result = await attempt(async (): Promise<Result<null>> => {
      isWaiting = false
      const left = threads.filter(({ id }) => !done.has(id)).map(({ id: _, ...one }) => one)
      if (left.length === 0) return { ok: true, data: null }
      const answered = await answerThreads({ workspace, key, round: round.current, threads: left })
      if (!answered.ok) return answered
      // After a lost response the same round is repeated, and gets its first result.
      round.current += 1
      const waiting = answered.data.filter(({ outcome }) => outcome === 'queued')
      for (const one of answered.data) if (one.outcome !== 'queued') done.set(one.id, one)
      setTold(done.size)
      isWaiting = waiting.length > 0
      return isWaiting ? { ok: false, error: placeOf(waiting) } : { ok: true, data: null }
    })
    if (!result.ok && !isWaiting) return result
    return { ok: true, data: threads.map(({ id }) => done.get(id) ?? { id, outcome: 'passed', reason: STOPPED }) }
  }
  return { queued, told, send }
}

const STOPPED = 'You stopped waiting for a free stream. Nothing was sent.'

/** Threads without a place wait behind the others. */
function placeOf(waiting: readonly AnsweredThread[]): ErrorView {
  const places = waiting.flatMap(({ queue, retryAfterMs = 1_000 }) => (queue ? [{ queue, retryAfterMs }] : []))
  const first = places.toSorted((left, right) => left.queue.place - right.queue.place)[0]
  const { queue = { place: 1, of: waiting.length }, retryAfterMs = 1_000 } = first ?? {}
  return { code: 'rate_limited', message: '', fields: [], requestId: '', queue, retryAfterMs }
}

'use server'
import { z } from 'zod'
import { type AnsweredThread, MAX_ANSWERED } from '@/lib/contracts/wire/bulk'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { guardAction } from '@/lib/server/audit/guard-action'
import { withIdempotencyKey } from '@/lib/server/edits/idempotency'
import * as several from '@/lib/server/inbox/answer-several'
import * as inbox from '@/lib/server/inbox/inbox-thread'
import { parseJsonInput } from '@/lib/server/process/json-input'
import { parseInput } from '@/lib/server/process/result'
import type { GivenAnswer } from '@/lib/stream/inbox'
import type { RecordingSummary } from '@/lib/stream/log'

const name = z.string().min(1).max(300)

/** `[{id, asked, answer}]` as JSON text, so that numbers stay exactly as typed. Empty continues from a breakpoint. */
const answers = z.string().max(4_000_000)
/** The idempotency key, created once per submitted answer: a repeat gets the same run. */
const key = z.string().min(8).max(100)

const Answer = z.strictObject({
  place: z.strictObject({ workspace: name, deploymentId: name, thread: name }),
  answers,
  key,
})

/** Answers one or more open questions of a thread with a recorded run. */
export async function answerThread(given: z.input<typeof Answer>): Promise<Result<RecordingSummary>> {
  return guardAction(async ({ actor }) => {
    const { key, ...input } = parseInput(Answer, given)
    const answers = readAnswers(input.answers)
    return await withIdempotencyKey({ actor, key, operation: 'answerThread', input }, () =>
      inbox.answerThread(input.place, answers, key, actor),
    )
  })
}

const Several = z.strictObject({
  workspace: name,
  threads: z
    .array(z.strictObject({ deploymentId: name, thread: name, answers }))
    .min(1)
    .max(MAX_ANSWERED),
  key,
  /** Counts the requests for one press of the button: threads that are queued are sent again. */
  round: z.number().int().min(0).max(100_000).default(0),
})

/** Answers each thread separately: some may fail or wait for a free stream while others succeed. */
export async function answerThreads(given: z.input<typeof Several>): Promise<Result<AnsweredThread[]>> {
  return guardAction(async ({ actor }) => {
    const { key, ...input } = parseInput(Several, given)
    const threads = input.threads.map((one) => ({ ...one, answers: readAnswers(one.answers) }))
    const once = { actor, key: `${key} ${input.round}`, operation: 'answerThreads', input }
    return await withIdempotencyKey(once, () => several.answerThreads(input.workspace, threads, key, actor))
  })
}

function readAnswers(json: string): GivenAnswer[] {
  const value = parseJsonInput(json, 'The answer is not valid JSON.')
  if (Array.isArray(value) && value.every(isAnswer)) return value
  throw new AppError('invalid', 'Each answer names its question.')
}

const isAnswer = (one: unknown): one is GivenAnswer =>
  isRecord(one) && typeof one.id === 'string' && 'asked' in one && 'answer' in one

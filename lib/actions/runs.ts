'use server'
import { z } from 'zod'
import { CANCEL_ACTIONS } from '@/lib/contracts/agents/run-options'
import { MAX_RUNS, type RunResult } from '@/lib/contracts/agents/run-row'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { guardAction } from '@/lib/server/audit/guard-action'
import { withIdempotencyKey } from '@/lib/server/edits/idempotency'
import { parseInput } from '@/lib/server/process/result'
import { cancelRecording, joinRecording, type RunBody, startRecording } from '@/lib/server/recorder/start'
import * as bulk from '@/lib/server/resources/runs/bulk'
import type { RecordingSummary } from '@/lib/stream/log'

// `call` checks the body with the operation's own schema.

const name = z.string().min(1).max(300)

const StartRun = z.strictObject({
  workspace: name,
  deploymentId: name,
  thread: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('new') }),
    z.strictObject({ kind: z.literal('existing'), id: name }),
    z.strictObject({ kind: z.literal('stateless') }),
  ]),
  /** The run request, as a value or as JSON text to keep numbers exact. */
  body: z.union([z.string(), z.record(z.string(), z.unknown())]),
  /** The idempotency key, created once per submitted form: a repeat gets the same run. */
  key: z.string().min(8).max(100).optional(),
})
export type StartRunInput = z.input<typeof StartRun>

export async function startRun(given: StartRunInput): Promise<Result<RecordingSummary>> {
  return guardAction(async ({ actor }) => {
    const input = parseInput(StartRun, given)
    return await startRecording({ ...input, actor, body: bodyOf(input.body) })
  })
}

function bodyOf(body: string | Record<string, unknown>): RunBody {
  try {
    const value = typeof body === 'string' ? parseJson(body) : body
    if (isRecord(value) && 'assistant_id' in value) return value as RunBody // checked by `call`
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new AppError('invalid', `The run request is not valid JSON: ${cause.message}`, { cause })
    throw cause
  }
  throw new AppError('invalid', 'The run request names no assistant.', {
    fields: [{ path: ['assistant_id'], message: 'Choose an assistant.' }],
  })
}

const CancelRun = z.strictObject({ workspace: name, recording: name, action: z.enum(['interrupt', 'rollback']) })

/** Cancels the run on its server and resolves when the server has confirmed. The recording then shows the outcome. */
export async function cancelRun(given: z.input<typeof CancelRun>): Promise<Result<null>> {
  return guardAction(async ({ actor }) => {
    const { action, ...place } = parseInput(CancelRun, given)
    await cancelRecording(actor, place, action)
    return null
  })
}

const CancelRuns = z.strictObject({
  workspace: name,
  /** Row ids from the list: of recordings, or of runs without a recording. */
  ids: z
    .array(z.string().min(1).max(1_000))
    .min(1)
    .max(MAX_RUNS)
    .transform((ids) => [...new Set(ids)]),
  action: z.enum(CANCEL_ACTIONS),
  /** The idempotency key, created once per dialog: a repeat gets the first result. */
  key: z.string().min(8).max(100),
})

/** Cancels each run separately on its server: some may fail while others succeed. */
export async function cancelRuns(given: z.input<typeof CancelRuns>): Promise<Result<RunResult[]>> {
  return guardAction(async ({ actor }) => {
    const { key, ...input } = parseInput(CancelRuns, given)
    return await withIdempotencyKey({ actor, key, operation: 'cancelRuns', input }, () => bulk.cancelRuns(input, actor))
  })
}

const JoinRun = z.strictObject({ workspace: name, deploymentId: name, thread: name, run: name })

/** Follows a run that was started elsewhere, in a new or existing recording. Needs only the role to see runs. */
export async function joinRun(given: z.input<typeof JoinRun>): Promise<Result<{ recording: string }>> {
  return guardAction(async ({ actor }) => {
    const { id } = await joinRecording({ ...parseInput(JoinRun, given), actor })
    return { recording: id }
  })
}

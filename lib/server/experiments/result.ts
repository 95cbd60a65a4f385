import 'server-only'
import { traces } from '@/lib/contracts/traces'
import type { TraceRun } from '@/lib/contracts/traces/trace-run'
import { AppError } from '@/lib/errors'
import type { PairResult } from '@/lib/stream/experiments'
import type { RecordingSummary } from '@/lib/stream/log'
import { timesOf } from '@/lib/stream/run-times'
import { applyEntry, createRunView, outputOf, recordedFigures, stateTextOf } from '@/lib/stream/run-view'
import { PriceBook } from '@/lib/traces/cost'
import { type LightRun, lightRun } from '@/lib/traces/light-run'
import { type ModelFigures, modelFigures } from '@/lib/traces/model-figures'
import { systemActor } from '../access/actor'
import { clock } from '../process/clock'
import { listPrices } from '../records/prices'
import { exportRecording } from '../records/recordings'
import { call } from '../upstream/call'

const MAX_OUTPUT = 50_000
const MAX_VALUES = 200_000
const LOG_BUDGET = 16 * 1024 * 1024
/** Traces arrive after their runs. */
const TRACE_TRIES = 4
const TRACE_PAUSE_MS = 700
const TRACE_TIMEOUT_MS = 3_000

const actor = systemActor('experiments')

/** What came of a recorded run that has ended, from its recording. */
export async function resultOf(summary: RecordingSummary): Promise<PairResult> {
  const { workspace, id: recording, run, assistantVersion } = summary
  const view = createRunView({ budgetBytes: LOG_BUDGET })
  for await (const entries of exportRecording(actor, { workspace, recording }))
    for (const entry of entries) applyEntry(view, entry)
  const { startedAt, endedAt } = timesOf(view, summary)
  const values = stateTextOf(view)
  return {
    run,
    outcome: view.outcome ?? summary.outcome ?? 'unknown',
    error: view.error?.message ?? null,
    output: outputOf(view).slice(0, MAX_OUTPUT),
    values: values !== undefined && values.length <= MAX_VALUES ? values : null,
    latencyMs: endedAt === undefined ? null : endedAt - startedAt,
    ...figuresOf(modelFigures(undefined, recordedFigures(view, summary))),
    ...UNKNOWN,
    ...{ assistantVersion, startedAt: summary.startedAt },
  }
}

const figuresOf = ({ firstToken, tokensIn, tokensOut }: ModelFigures) => ({
  firstTokenMs: firstToken?.value ?? null,
  tokensIn: tokensIn?.value ?? null,
  tokensOut: tokensOut?.value ?? null,
})

/** Of a run whose recording was deleted before its result was read. */
export const EXPIRED: PairResult = {
  run: null,
  outcome: 'unknown',
  error: 'The recording of this run expired before its result was read.',
  ...{ output: '', values: null, latencyMs: null, firstTokenMs: null, tokensIn: null, tokensOut: null },
  ...{ cost: null, isEstimated: false },
}

/** Whether there is an answer to check. */
export const isTold = ({ run, outcome }: PairResult): boolean => run !== null || outcome !== EXPIRED.outcome

/** What the trace of a run tells, once it has ended; the cost is null if it is unknown. */
export async function tracedOf(workspace: string, trace: string): Promise<Partial<PairResult>> {
  const options = { actor, timeoutMs: TRACE_TIMEOUT_MS }
  let told: Partial<PairResult> = UNKNOWN
  try {
    const root = await endedRoot(workspace, trace)
    if (!root) return told
    told = { ...UNKNOWN, ...figuresOfTrace(lightRun(root)) }
    const totals = await call(traces.getTraceTotals, { workspace, body: { trace, model_usage: true } }, options)
    const book = new PriceBook(await listPrices(actor, workspace))
    const { total, unpriced, estimates } = book.costOf(totals.total_cost, totals.model_usage ?? [])
    return unpriced > 0 ? told : { ...told, cost: total, isEstimated: estimates.length > 0 }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return told
  }
}

/** The root run of a trace; undefined if the trace does not end in time. */
async function endedRoot(workspace: string, trace: string): Promise<TraceRun | undefined> {
  const options = { actor, timeoutMs: TRACE_TIMEOUT_MS }
  for (let attempt = 1; ; attempt++) {
    const { runs } = await call(traces.queryTraceRuns, { workspace, body: { trace, is_root: true, limit: 1 } }, options)
    if (runs[0]?.end_time || attempt === TRACE_TRIES) return runs[0]?.end_time ? runs[0] : undefined
    await clock().pause(TRACE_PAUSE_MS)
  }
}

const figuresOfTrace = ({ firstToken, tokens, tokensIn, tokensOut }: LightRun): Partial<PairResult> =>
  tokens === null
    ? {}
    : { isTraced: true, tokensIn, tokensOut, ...(firstToken !== null && { firstTokenMs: Math.round(firstToken) }) }

const UNKNOWN = { cost: null, isEstimated: false }

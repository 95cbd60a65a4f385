import 'server-only'
import { createHash } from 'node:crypto'
import { traces } from '@/lib/contracts/traces'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { hostedFilter } from '@/lib/traces/hosted-filter'
import { HEAVY_FIELDS, LIGHT_FIELDS } from '@/lib/traces/light-run'
import type { Destination } from './destination'
import { type Exchanged, type ExchangeOptions, exchange, type Prepared, prepare } from './exchange'
import { RequestQueue, type RequestRate } from './request-queue'

// A hosted tracing API allows each key so many requests, which all readers of a workspace share. So they wait for one another
// here; runs that are opened at about the same time are asked for together, and what everybody sees is asked for once.

/** Known allowances; that of totals differs by region, so its refusals are what tells. For tests to shorten. */
export const LIMITS: Record<string, RequestRate> = { queryTraceRuns: { count: 15, windowMs: 10_000 } }
/** Totals are the dearest: once in ten seconds for all readers, in some regions. */
export const SHARED_MS: Record<string, number> = { getTraceTotals: 30_000, listTracingProjects: 60_000 }
/** How long runs are waited for that are asked for together, and how many at most. For tests to lengthen. */
export const GATHER = { waitMs: 40, most: 20 }
const MAX_KEPT = 500

type Answer = Promise<Exchanged<unknown>>
type Gathered = { ids: Set<string>; answer: Answer }
type Kept = { until: number; answer: Answer }
// On globalThis, as everything that several copies of a module must share.
const shared = globalThis as unknown as {
  pilothouseTraces?: { lanes: Map<string, RequestQueue>; gathered: Map<string, Gathered>; kept: Map<string, Kept> }
}
const state = () => {
  shared.pilothouseTraces ??= { lanes: new Map(), gathered: new Map(), kept: new Map() }
  return shared.pilothouseTraces
}

/** As `exchange`, for the tracing API: within the limits of a hosted one. The embedded platform has none to keep. */
export async function exchangeTraces(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Answer {
  if (options.workspace.kind === 'embedded' || op.effect === 'write') return exchange(op, to, prepared, options)
  prepared = { ...prepared, body: hostedBody(prepared.body) }
  const key = keyOf(to)
  if (op.id === traces.getTraceRun.id) return await oneOfMany(key, to, prepared, options)
  const keptMs = SHARED_MS[op.id]
  if (keptMs)
    return await keep(JSON.stringify([key, op.id, prepared]), keptMs, () => paced(op, key, to, prepared, options))
  return await paced(op, key, to, prepared, options, options.signal)
}

/** What is asked in the words that hosted servers know: without what only the embedded platform adds up, and with filters by what is logged. */
function hostedBody(body: unknown): unknown {
  if (!isRecord(body)) return body
  const { bucket_seconds, model_usage, other_costs, ...asked } = body
  for (const name of ['filter', 'trace_filter', 'tree_filter'])
    if (typeof asked[name] === 'string') asked[name] = hostedFilter(asked[name])
  return asked
}

/** One allowance: of a key at a server. */
const keyOf = ({ base, credentials }: Destination): string =>
  createHash('sha256')
    .update(JSON.stringify([base.href, credentials]))
    .digest('base64url')

function paced(
  op: Operation,
  key: string,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
  signal?: AbortSignal,
): Answer {
  const { lanes } = state()
  const name = `${op.id} ${key}`
  const lane = lanes.get(name) ?? new RequestQueue(LIMITS[op.id])
  if (lanes.size >= MAX_KEPT) lanes.clear()
  lanes.set(name, lane)
  return lane.run(() => exchange(op, to, prepared, { ...options, signal }), signal)
}

/** The same answer for all who ask within a time. Its work outlives each of them, so it has no one's signal; a failure is nobody else's. */
function keep(key: string, keptMs: number, ask: () => Answer): Answer {
  const { kept } = state()
  const known = kept.get(key)
  if (known && known.until > Date.now()) return known.answer
  if (kept.size >= MAX_KEPT) kept.clear()
  const answer = ask()
  kept.set(key, { until: Date.now() + keptMs, answer })
  answer.catch(() => kept.delete(key))
  return answer
}

/** One run, asked for with the others of the same moment: the query takes many and is allowed thrice as often as a single run. */
async function oneOfMany(key: string, to: Destination, { path }: Prepared, options: ExchangeOptions): Answer {
  const { gathered } = state()
  const id = decodeURIComponent(path.split('/').at(-1) ?? '')
  let together = gathered.get(key)
  if (!together || together.ids.size >= GATHER.most) {
    const ids = new Set<string>()
    together = { ids, answer: askTogether(key, ids, to, options) }
    gathered.set(key, together)
  }
  together.ids.add(id)
  const { status, value } = await together.answer
  const run = (value as { runs: { id: string }[] }).runs.find((one) => one.id === id)
  if (!run) throw new AppError('not_found', 'There is no such run, or it is no longer kept.', { upstreamStatus: 404 })
  return { status, value: run }
}

async function askTogether(key: string, ids: Set<string>, to: Destination, options: ExchangeOptions): Answer {
  await new Promise((resolve) => setTimeout(resolve, GATHER.waitMs))
  const { gathered } = state()
  if (gathered.get(key)?.ids === ids) gathered.delete(key)
  const body = { id: [...ids], limit: ids.size, select: [...LIGHT_FIELDS, ...HEAVY_FIELDS] }
  return await paced(traces.queryTraceRuns, key, to, prepare(traces.queryTraceRuns, { body }), options)
}

import 'server-only'
import { createHash } from 'node:crypto'
import { traces } from '@/lib/contracts/traces'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { hostedFilter, unsupportedIn } from '@/lib/traces/hosted-filter'
import { HEAVY_FIELDS, LIGHT_FIELDS } from '@/lib/traces/light-run'
import type { Destination } from './destination'
import { type Exchanged, type ExchangeOptions, exchange, type Prepared, prepare } from './exchange'
import { type Patience, RequestQueue, type RequestRate } from './request-queue'

// A hosted tracing API rate-limits each key, which all readers of a workspace share. Requests queue here, runs opened at
// about the same time are fetched in one request, and shared responses are cached.

type TracesPace = {
  /** Known rate limits. The one for totals differs by region, so its queue reacts to refusals. */
  limits: Record<string, RequestRate>
  patience: Patience
  /** How long to collect runs for one request. */
  gatherMs: number
}
const PACE: TracesPace = {
  limits: { queryTraceRuns: { count: 15, windowMs: 10_000 } },
  patience: { waitMs: 20_000, backOffMs: 1_000 },
  gatherMs: 40,
}
const MAX_GATHERED = 20
/** Cache times in ms. Totals are the most expensive: some regions allow one request in ten seconds for all readers. */
const SHARED_MS: Record<string, number> = { getTraceTotals: 30_000, listTracingProjects: 60_000 }
const MAX_KEPT = 500

type PendingResponse = Promise<Exchanged<unknown>>
type Gathered = { ids: Set<string>; response: PendingResponse }
type Kept = { until: number; response: PendingResponse }
// On globalThis, because several copies of this module share it.
type State = {
  pace: TracesPace
  queues: Map<string, RequestQueue>
  gathered: Map<string, Gathered>
  kept: Map<string, Kept>
}
const shared = globalThis as unknown as { pilothouseTraces?: State }
const state = (): State => shared.pilothouseTraces ?? adoptTracesPace()

/** Starts over, with nothing queued or cached. Tests give a quicker pace; undefined is the usual one. */
export function adoptTracesPace(pace: TracesPace = PACE): State {
  shared.pilothouseTraces = { pace, queues: new Map(), gathered: new Map(), kept: new Map() }
  return shared.pilothouseTraces
}

/** Like `exchange`, within the rate limits of a hosted tracing API. The embedded platform has none. */
export async function exchangeTraces(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): PendingResponse {
  if (options.workspace.kind === 'embedded' || op.effect === 'write') return exchange(op, to, prepared, options)
  prepared = { ...prepared, body: hostedBody(prepared.body) }
  const key = keyOf(to)
  if (op.id === traces.getTraceRun.id) return await oneOfMany(key, to, prepared, options)
  const keptMs = SHARED_MS[op.id]
  if (keptMs)
    return await keep(JSON.stringify([key, op.id, prepared]), keptMs, () => paced(op, key, to, prepared, options))
  return await paced(op, key, to, prepared, options, options.signal)
}

/** A body that hosted servers accept: without the embedded platform's own totals, and with filters by logged metadata. */
function hostedBody(body: unknown): unknown {
  if (!isRecord(body)) return body
  const { bucket_seconds, model_usage, other_costs, group_by, facets, is_model, cost, ...asked } = body
  const missing = cost ? ['cost'] : []
  for (const name of ['filter', 'trace_filter', 'tree_filter']) {
    const filter = asked[name]
    if (typeof filter !== 'string') continue
    missing.push(...unsupportedIn(filter))
    asked[name] = hostedFilter(filter)
  }
  if (missing.length > 0)
    throw new AppError(
      'unsupported',
      `This tracing server cannot filter by ${missing.join(', ')}. Remove this filter to see its runs.`,
    )
  return is_model ? { ...asked, run_type: 'llm' } : asked
}

/** Identifies one rate limit: a key at a server. Hashed, so that the key itself is not kept. */
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
): PendingResponse {
  const { queues, pace } = state()
  const name = `${op.id} ${key}`
  const queue = queues.get(name) ?? new RequestQueue(pace.patience, pace.limits[op.id])
  if (queues.size >= MAX_KEPT) queues.clear()
  queues.set(name, queue)
  return queue.run(() => exchange(op, to, prepared, { ...options, signal }), signal)
}

/** Shares one response among callers for `keptMs`. `ask` takes no signal because it may outlive its caller. */
function keep(key: string, keptMs: number, ask: () => PendingResponse): PendingResponse {
  const { kept } = state()
  const known = kept.get(key)
  if (known && known.until > Date.now()) return known.response
  if (kept.size >= MAX_KEPT) kept.clear()
  const response = ask()
  kept.set(key, { until: Date.now() + keptMs, response })
  response.catch(() => kept.delete(key))
  return response
}

/** Fetches one run in a batch: the query takes many ids, and its rate limit is three times that of a single run. */
async function oneOfMany(key: string, to: Destination, { path }: Prepared, options: ExchangeOptions): PendingResponse {
  const { gathered } = state()
  const id = decodeURIComponent(path.split('/').at(-1) ?? '')
  let together = gathered.get(key)
  if (!together || together.ids.size >= MAX_GATHERED) {
    const ids = new Set<string>()
    together = { ids, response: askTogether(key, ids, to, options) }
    gathered.set(key, together)
  }
  together.ids.add(id)
  const { status, value } = await together.response
  const run = (value as { runs: { id: string }[] }).runs.find((one) => one.id === id)
  if (!run) throw new AppError('not_found', 'This run does not exist, or is no longer stored.', { upstreamStatus: 404 })
  return { status, value: run }
}

async function askTogether(key: string, ids: Set<string>, to: Destination, options: ExchangeOptions): PendingResponse {
  await new Promise((resolve) => setTimeout(resolve, state().pace.gatherMs))
  const { gathered } = state()
  if (gathered.get(key)?.ids === ids) gathered.delete(key)
  const body = { id: [...ids], limit: ids.size, select: [...LIGHT_FIELDS, ...HEAVY_FIELDS] }
  return await paced(traces.queryTraceRuns, key, to, prepare(traces.queryTraceRuns, { body }), options)
}

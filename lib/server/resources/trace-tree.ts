import 'server-only'
import { z } from 'zod'
import { traces } from '@/lib/contracts/traces'
import type { TraceRunsPage } from '@/lib/contracts/traces/run-queries'
import type { TracePlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { HEAVY_FIELDS, LIGHT_FIELDS, type LightRun, lightRun } from '@/lib/traces/light-run'
import { parseInput } from '../process/result'
import { download, type FileParts, inFileName } from '../relay/download'
import { serveRead } from '../relay/serve-read'
import { call } from '../upstream/call'
import type { CallOptions } from '../upstream/call-context'

const PAGE = 100
export type TreePage = {
  runs: LightRun[]
  /** The `cursor` for the next page; null at the end. */
  next: string | null
}

const Query = z.strictObject({
  cursor: z.string().min(1).max(4_000).optional(),
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
})

/** Prefix for cursors of the run query, which the operation for trees does not understand. */
const OF_QUERY = 'query:'

/** A page of a trace's runs, parents before children if the server supports trees. Throws AppError like `call`. */
export async function readTree(place: TracePlace, query: unknown, options: CallOptions = {}): Promise<TreePage> {
  const { workspace, trace } = place
  const { cursor, limit } = parseInput(Query, query)
  if (cursor?.startsWith(OF_QUERY)) return await readByQuery(place, cursor.slice(OF_QUERY.length), options)
  try {
    const page = await call(
      traces.listTraceTree,
      { workspace, params: { trace_id: trace }, query: { limit: String(limit), ...(cursor && { cursor }) } },
      options,
    )
    return { runs: page.runs.map(lightRun), next: page.cursors?.next ?? null }
  } catch (error) {
    // Hosted tracing servers have no operation for trees, so read smaller pages ordered by start time.
    if (!(error instanceof AppError && error.code === 'unsupported' && error.view.upstreamStatus)) throw error
    return await readByQuery(place, undefined, options)
  }
}

async function readByQuery({ workspace, trace }: TracePlace, cursor: string | undefined, options: CallOptions) {
  const page = await readRuns(workspace, trace, cursor, LIGHT_FIELDS, options)
  const next = page.cursors?.next
  return { runs: page.runs.map(lightRun), next: next ? `${OF_QUERY}${next}` : null }
}

const readRuns = (
  workspace: string,
  trace: string,
  cursor: string | undefined,
  select: string[],
  options: CallOptions,
): Promise<TraceRunsPage> =>
  call(
    traces.queryTraceRuns,
    { workspace, body: { trace, limit: PAGE, order: 'asc', select, ...(cursor && { cursor }) } },
    options,
  )

/** Serves `GET /api/traces/{workspace}/{trace}`. */
export const serveTree = (request: Request, place: TracePlace): Promise<Response> =>
  serveRead(request, (query, options) => readTree(place, query, options))

/** Serves `GET /api/traces/{workspace}/{trace}/file`: all runs of the trace with all their data as one JSON document. */
export const traceFile = (request: Request, place: TracePlace): Promise<Response> =>
  download(request, (actor, signal) => ({
    name: `trace-${inFileName(place.trace)}.json`,
    type: 'application/json',
    parts: fileParts(place, { actor, signal }),
  }))

async function* fileParts({ workspace, trace }: TracePlace, options: CallOptions): FileParts {
  const select = [...LIGHT_FIELDS, ...HEAVY_FIELDS]
  let page = await readRuns(workspace, trace, undefined, select, options)
  if (page.runs.length === 0) throw new AppError('not_found', 'This trace does not exist, or is no longer stored.')
  yield `{"trace_id":${JSON.stringify(trace)},"runs":[`
  let isFirst = true
  for (;;) {
    for (const run of page.runs) {
      yield `${isFirst ? '' : ','}\n${printJson(run)}`
      isFirst = false
    }
    const next = page.cursors?.next
    if (!next) break
    page = await readRuns(workspace, trace, next, select, options)
  }
  yield '\n]}\n'
}

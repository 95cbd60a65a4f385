import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { traces } from '@/lib/contracts/traces'
import type { TracingInfo } from '@/lib/contracts/traces/intake'
import { TracingProjectCreate, TracingProjectPatch } from '@/lib/contracts/traces/projects'
import { TraceRunsQuery } from '@/lib/contracts/traces/run-queries'
import { tracesSchemas } from '@/lib/contracts/traces.schemas'
import { matchRow } from '@/lib/contracts/wire/api'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { closeIfUnread } from '../kernel/close-unread'
import { type Db, faultOf } from '../kernel/database'
import { HttpError } from '../kernel/http-error'
import type { IgnoredFields } from '../kernel/ignored-fields'
import { FeedbackRecords } from './feedback'
import {
  INTAKE_LIMITS,
  Intake,
  type IntakeLimits,
  type IntakeResponse,
  READS_ZSTD,
  SIZE_LIMIT,
  SIZE_LIMIT_BYTES,
} from './intake'
import { TracingProjects } from './project-handlers'
import { TraceQueries } from './queries'
import { type Env, type Handler, json, parseInput, type Route, reply } from './routes'
import type { RunStore } from './run-store'
import { routesV2, sdkRoutes } from './sdk-routes'

export type TracesAppOptions = {
  db: Db
  store: RunStore
  tenantId: string
  isKey(given: string): boolean
  /** Deployment keys, valid for the intake only. */
  deploymentOfKey(given: string): string | undefined
  ignoredFields: IgnoredFields
  logError(line: string): void
  limits?: IntakeLimits | undefined
}

type Id = keyof typeof tracesSchemas

const INTAKE: ReadonlySet<string> = new Set<Id>([
  'createTraceRun',
  'updateTraceRun',
  'createTraceRunBatch',
  'createTraceRunMultipart',
  'createFeedback',
])
/** SDKs and exporters use the same paths under a prefix. */
const PREFIXES = ['', '/api', '/api/v1']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const QUERY_LIMIT = 1_000_000
/** Version of the hosted API whose routes SDKs may use; they warn below 0.16 and batch feedback from 0.8.10. */
const API_VERSION = '0.18.0'

/** Whether a request's path is one of the tracing API. */
export const isTracesPath = (url: string): boolean =>
  /^(\/api(\/v[12])?)?\/(info|runs|sessions|feedback|traces|public|otel)(?=[/?]|$)|^\/v1\/traces(?=\?|$)/.test(url)

/** The tracing API: the SDK's intake, and reads of the logged runs. */
export function createTracesApp(options: TracesAppOptions): Hono<Env> {
  const intake = new Intake(options.store, options.limits ?? INTAKE_LIMITS)
  const queries = new TraceQueries(options.db)
  const projects = new TracingProjects(options.db, options.tenantId)
  const feedback = new FeedbackRecords(options.db)
  const incoming = (context: Context<Env>) => context.env.incoming

  const handlers: Record<Id, Handler> = {
    getTracingInfo: ({ context }) => context.json(INFO),
    createTraceRunMultipart: async ({ context, deploymentId }) =>
      answer(context, await intake.multipart(incoming(context), deploymentId)),
    createTraceRunBatch: async ({ context, deploymentId }) =>
      answer(context, await intake.batch(incoming(context), deploymentId)),
    createTraceRun: async ({ context, deploymentId }) =>
      answer(context, await intake.one(incoming(context), 'post', undefined, deploymentId)),
    updateTraceRun: async ({ context, params, deploymentId }) =>
      answer(context, await intake.one(incoming(context), 'patch', params.run_id, deploymentId)),
    createFeedback: async ({ context, deploymentId }) =>
      answer(context, await intake.feedback(incoming(context), deploymentId)),
    queryTraceRuns: async ({ context, body }) => json(context, await queries.runs(body)),
    getTraceTotals: async ({ context, body }) => context.json(await queries.totals(body)),
    listTraceTree: async ({ context, params, query }) =>
      json(context, await queries.tree(params.trace_id ?? '', query)),
    getTraceRun: async ({ context, params }) => json(context, await queries.run(params.run_id ?? '')),
    getTraceAttachment: async ({ context, params, query }) =>
      context.json(await queries.attachment(params.run_id ?? '', query.name)),
    listTracingProjects: async ({ context, query }) => json(context, printJson(await projects.list(query))),
    createTracingProject: async ({ context, body }) =>
      json(context, printJson(await projects.create(body, context.req.query('upsert')?.toLowerCase() === 'true'))),
    getTracingProject: async ({ context, params, query }) =>
      json(context, printJson(await projects.get(params.session_id ?? '', query.include_stats))),
    updateTracingProject: async ({ context, params, body }) =>
      json(context, printJson(await projects.update(params.session_id ?? '', body))),
    deleteTracingProject: async ({ context, params }) => {
      await projects.remove(params.session_id ?? '')
      return context.body(null, 204)
    },
  }

  const app = new Hono<Env>()
  const add = (prefix: string, route: Route) =>
    app.on(route.method, prefix + route.path.replace(/\{(\w+)\}/g, ':$1'), async (context) => {
      const deploymentId = route.isPublic ? undefined : checkCaller(context, options, route.isIntake === true)
      context.header('Cache-Control', 'no-store')
      if (!route.isIntake) await limitQuery(context, async () => {})
      const onIgnored = (field: string) => {
        const short = field.slice(0, 200)
        const client = options.ignoredFields.note(context.req.header('user-agent') ?? '', route.path, short)
        if (client)
          options.logError(`${route.method} ${route.path} ignores ${short} of ${client}, which it does not know.`)
      }
      const input = await parseInput(route.isIntake ? {} : route, context, onIgnored)
      return route.handle({ ...input, params: context.req.param() as Record<string, string>, context, deploymentId })
    })
  const rows = Object.values(traces).map((row): Route => {
    const id = row.id as Id
    const schemas = { ...tracesSchemas[id], ...(Object.hasOwn(BODIES, id) && { body: BODIES[id] }) }
    return { ...schemas, ...row, isIntake: INTAKE.has(id), isPublic: id === 'getTracingInfo', handle: handlers[id] }
  })
  // A literal segment takes precedence over a parameter: `/runs/query` is not a run id.
  const byLiterals = (a: Route, b: Route) => Number(a.path.includes('{')) - Number(b.path.includes('{'))
  const v1 = [...rows, ...sdkRoutes({ intake, feedback })].sort(byLiterals)
  const v2: Route[] = routesV2({ queries }).sort(byLiterals)
  for (const route of v2) add('/api/v2', route)
  for (const prefix of PREFIXES) for (const route of v1) add(prefix, route)
  app.notFound((context) => {
    const table = context.req.path.startsWith('/api/v2/') ? v2 : v1
    const segments = context.req.path
      .replace(/^\/api(\/v[12])?/, '')
      .split('/')
      .filter(Boolean)
    const others = METHODS.filter((method) => matchRow(table, method, segments))
    if (!others.length) return context.json({ detail: 'Not Found' }, 404)
    return context.json({ detail: 'Method Not Allowed' }, 405, { Allow: others.join(', ') })
  })
  app.onError((error, context) => {
    closeIfUnread(context)
    if (error instanceof HttpError) return context.json({ detail: error.detail }, error.status)
    const requestId = randomUUID()
    options.logError(`${context.req.method} ${context.req.path} failed (request ${requestId}): ${faultOf(error)}`)
    return context.json({ detail: `Internal Server Error (request ${requestId})` }, 500, { 'X-Request-Id': requestId })
  })
  return app
}

/** What SDKs send beyond the interface: pages of any size, which they follow by cursor, and one example as text. */
const widen = (body: unknown): unknown =>
  isRecord(body)
    ? {
        ...body,
        ...(typeof body.limit === 'number' && body.limit > MAX_PAGE && { limit: MAX_PAGE }),
        ...(typeof body.reference_example === 'string' && { reference_example: [body.reference_example] }),
      }
    : body
const MAX_PAGE = 100

/** Bodies that this server reads otherwise than the interface. Fields that it does not keep are told as ignored. */
const BODIES: { [id in Id]?: z.ZodType } = {
  queryTraceRuns: z.preprocess(widen, TraceRunsQuery),
  createTracingProject: TracingProjectCreate.omit({ start_time: true, reference_dataset_id: true, trace_tier: true }),
  updateTracingProject: TracingProjectPatch.omit({ trace_tier: true }),
}

const limitQuery = bodyLimit({
  maxSize: QUERY_LIMIT,
  onError: () => {
    throw new HttpError(413, `The request body is larger than ${QUERY_LIMIT / 1_000_000} MB.`)
  },
})

/** Returns the deployment to which the caller's key is limited, if any. */
function checkCaller(context: Context, options: TracesAppOptions, isIntake: boolean): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
  const given = context.req.header('x-api-key') || bearer
  if (!given) throw new HttpError(401, 'Give an API key in the header X-Api-Key, or as Authorization: Bearer.')
  if (options.isKey(given)) return undefined
  const deploymentId = options.deploymentOfKey(given)
  if (!deploymentId) throw new HttpError(403, 'The API key is not valid.')
  if (!isIntake) throw new HttpError(403, "A deployment's key is for logging runs only.")
  return deploymentId
}

const answer = (context: Context<Env>, { status, body, retryAfterS }: IntakeResponse): Response =>
  reply(context, { status, content: JSON.stringify(body), type: 'application/json', retryAfterS })

const INFO: TracingInfo = {
  version: API_VERSION,
  batch_ingest_config: {
    use_multipart_endpoint: true,
    size_limit: SIZE_LIMIT,
    size_limit_bytes: SIZE_LIMIT_BYTES,
    scale_up_qsize_trigger: 1000,
    scale_up_nthreads_limit: 16,
    scale_down_nempty_trigger: 4,
  },
  instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: READS_ZSTD },
}

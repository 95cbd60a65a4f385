import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { traces } from '@/lib/contracts/traces'
import type { TracingInfo } from '@/lib/contracts/traces/trace-runs'
import { tracesSchemas } from '@/lib/contracts/traces.schemas'
import { matchRow, type RowSchemas } from '@/lib/contracts/wire/api'
import { toValidationError } from '@/lib/contracts/wire/http-validation-error'
import { parseJson } from '@/lib/json/lossless'
import { closeUnread } from '../kernel/close-unread'
import type { Db } from '../kernel/database'
import { HttpError } from '../kernel/http-error'
import { INTAKE_LIMITS, Intake, type IntakeAnswer, type IntakeLimits, SIZE_LIMIT, SIZE_LIMIT_BYTES } from './intake'
import { TracingProjects } from './project-handlers'
import { TraceQueries } from './queries'
import type { RunStore } from './run-store'

export type TracesAppOptions = {
  db: Db
  store: RunStore
  tenantId: string
  version: string
  isKey(given: string): boolean
  /** Deployment keys, valid for the intake only. */
  deploymentOfKey(given: string): string | undefined
  logError(line: string): void
  limits?: IntakeLimits | undefined
}

type Env = { Bindings: HttpBindings }
type Id = keyof typeof tracesSchemas
// biome-ignore lint/suspicious/noExplicitAny: each handler's own schema has checked what it gets; see `parseInput`
type Parsed = { query: any; body: any }
/** A request as parsed by the operation's schemas, and the deployment to which its key is limited. */
type Input = Parsed & { params: Record<string, string>; context: Context<Env>; deploymentId: string | undefined }
type Handler = (input: Input) => Promise<Response> | Response

const INTAKE: ReadonlySet<string> = new Set<Id>([
  'getTracingInfo',
  'createTraceRun',
  'updateTraceRun',
  'createTraceRunBatch',
  'createTraceRunMultipart',
  'createFeedback',
])
/** Other SDK versions use the same paths under a prefix. */
const PREFIXES = ['', '/api/v1']
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']
const QUERY_LIMIT = 1_000_000

/** Whether a request's path is one of the tracing API. */
export const isTracesPath = (url: string): boolean =>
  /^(\/api\/v1)?\/(info|runs|sessions|feedback|traces)(?=[/?]|$)/.test(url)

/** The tracing API: the SDK's intake, and reads of the logged runs. */
export function createTracesApp(options: TracesAppOptions): Hono<Env> {
  const intake = new Intake(options.store, options.limits ?? INTAKE_LIMITS)
  const queries = new TraceQueries(options.db)
  const projects = new TracingProjects(options.db, options.tenantId)
  const incoming = (context: Context<Env>) => context.env.incoming

  const handlers: Record<Id, Handler> = {
    getTracingInfo: ({ context }) => context.json(infoOf(options.version)),
    createTraceRunMultipart: async ({ context, deploymentId }) =>
      reply(context, await intake.multipart(incoming(context), deploymentId)),
    createTraceRunBatch: async ({ context, deploymentId }) =>
      reply(context, await intake.batch(incoming(context), deploymentId)),
    createTraceRun: async ({ context, deploymentId }) =>
      reply(context, await intake.one(incoming(context), 'post', undefined, deploymentId)),
    updateTraceRun: async ({ context, params, deploymentId }) =>
      reply(context, await intake.one(incoming(context), 'patch', params.run_id, deploymentId)),
    createFeedback: async ({ context, deploymentId }) =>
      reply(context, await intake.feedback(incoming(context), deploymentId)),
    queryTraceRuns: async ({ context, body }) => json(context, await queries.runs(body)),
    getTraceTotals: async ({ context, body }) => context.json(await queries.totals(body)),
    listTraceTree: async ({ context, params, query }) =>
      json(context, await queries.tree(params.trace_id ?? '', query)),
    getTraceRun: async ({ context, params }) => json(context, await queries.run(params.run_id ?? '')),
    getTraceAttachment: async ({ context, params, query }) =>
      context.json(await queries.attachment(params.run_id ?? '', query.name)),
    listTracingProjects: async ({ context, query }) => context.json(await projects.list(query)),
    createTracingProject: async ({ context, body }) => context.json(await projects.create(body)),
    getTracingProject: async ({ context, params }) => context.json(await projects.get(params.session_id ?? '')),
    updateTracingProject: async ({ context, params, body }) =>
      context.json(await projects.update(params.session_id ?? '', body)),
    deleteTracingProject: async ({ context, params }) => {
      await projects.remove(params.session_id ?? '')
      return context.body(null, 204)
    },
  }

  const app = new Hono<Env>()
  // A literal segment takes precedence over a parameter: `/runs/query` is not a run id.
  for (const prefix of PREFIXES)
    for (const row of Object.values(traces).sort(
      (a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')),
    )) {
      const id = row.id as Id
      app.on(row.method, prefix + row.path.replace(/\{(\w+)\}/g, ':$1'), async (context) => {
        const deploymentId = checkCaller(context, options, INTAKE.has(id))
        context.header('Cache-Control', 'no-store')
        if (!INTAKE.has(id)) await limitQuery(context, async () => {})
        const input = await parseInput(tracesSchemas[id], context, INTAKE.has(id))
        return handlers[id]({ ...input, params: context.req.param() as Record<string, string>, context, deploymentId })
      })
    }
  app.notFound((context) => {
    const segments = context.req.path
      .replace(/^\/api\/v1/, '')
      .split('/')
      .filter(Boolean)
    const others = METHODS.filter((method) => matchRow(traces, method, segments))
    if (!others.length) return context.json({ detail: 'Not Found' }, 404)
    return context.json({ detail: 'Method Not Allowed' }, 405, { Allow: others.join(', ') })
  })
  app.onError((error, context) => {
    if (error instanceof HttpError) return context.json({ detail: error.detail }, error.status)
    const requestId = randomUUID()
    options.logError(
      `${context.req.method} ${context.req.path} failed (request ${requestId}): ${error.message.slice(0, 2000)}`,
    )
    return context.json({ detail: `Internal Server Error (request ${requestId})` }, 500, { 'X-Request-Id': requestId })
  })
  return app
}

const limitQuery = bodyLimit({
  maxSize: QUERY_LIMIT,
  onError: () => {
    throw new HttpError(413, `The request body is larger than ${QUERY_LIMIT / 1_000_000} MB.`)
  },
})

/** Bodies of the intake are read as they stream in, by the handler. */
async function parseInput(schemas: RowSchemas, context: Context<Env>, isIntake: boolean) {
  if (isIntake) return { query: undefined, body: undefined }
  const check = (schema: RowSchemas['body'], value: unknown, where: 'query' | 'body') => {
    const parsed = schema?.safeParse(value)
    if (parsed && !parsed.success) throw new HttpError(422, toValidationError(parsed.error, where).detail)
    return parsed?.data
  }
  const query = check(schemas.query, context.req.query(), 'query')
  if (!schemas.body) return { query, body: undefined }
  const text = await context.req.text()
  let body: unknown
  try {
    body = parseJson(text)
  } catch (error) {
    const msg = `JSON decode error: ${(error as Error).message}`
    throw new HttpError(422, [{ loc: ['body'], msg, type: 'json_invalid' }])
  }
  return { query, body: check(schemas.body, body, 'body') }
}

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

const json = (context: Context, text: string): Response =>
  context.body(text, 200, { 'Content-Type': 'application/json' })

function reply(context: Context<Env>, { status, body, retryAfterS }: IntakeAnswer): Response {
  const { incoming } = context.env
  // The unread rest of a refused body must not be parsed as the next request.
  if (!incoming.complete) {
    context.header('Connection', 'close')
    closeUnread(incoming)
  }
  if (retryAfterS) context.header('Retry-After', String(retryAfterS))
  return context.json(body, status)
}

const infoOf = (version: string): TracingInfo => ({
  version,
  batch_ingest_config: {
    use_multipart_endpoint: true,
    size_limit: SIZE_LIMIT,
    size_limit_bytes: SIZE_LIMIT_BYTES,
    scale_up_qsize_trigger: 1000,
    scale_up_nthreads_limit: 16,
    scale_down_nempty_trigger: 4,
  },
  instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: false },
})

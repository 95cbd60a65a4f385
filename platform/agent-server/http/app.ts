import { randomUUID, timingSafeEqual } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { HTTPException } from 'hono/http-exception'
import { agentServer, STATE_ANSWERS } from '@/lib/contracts/agent-server'
import { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import { matchRow, type Operation, type RowSchemas } from '@/lib/contracts/wire/api'
import { nameRequest } from '../../kernel/telemetry'
import type { Auth } from '../auth/auth'
import type { Caller } from '../auth/caller'
import { errorBody, HttpError, stackOf } from '../kernel/errors'
import type { Query } from '../persistence/db'
import { authorize, isPublic } from './access'
import { type Handlers, type OperationId, RPC_IDS, type RpcHandlers, type RpcId } from './handler-types'
import { explainStoreError, parseRequest, type Reply, segmentsOf, toResponse } from './http'

/**
 * `route`: path of the row that a request has matched. `isOperator`: whether it came with the platform's key.
 * `caller`: where the deployment authenticates them.
 */
type App = Hono<{ Variables: { route?: string; isOperator: boolean; caller?: Caller } }>

/** Given with the request of a WebSocket that opens: everything is checked, and nothing is read. */
export type HandshakeEnv = { isHandshake: true }

export type AppOptions = {
  handlers: Handlers
  rpc: RpcHandlers
  /** Called for each served request, with its row's path and the status. */
  observe?(method: string, route: string, status: number): void
  /** Called for each unknown request field, which is ignored. */
  ignore?(client: string, route: string, field: string): void
  /** Whether the operation of this path is switched off. */
  isDisabled?(path: string): boolean
  /** The deployment's own authentication. */
  auth?: { by: Auth; db: Query; idOf(assistant: string): string }
  /** Routes and middleware of the deployment's own. */
  custom?: Hono
  /** Adds the CORS headers. */
  cors?: MiddlewareHandler
  /** The secret that the gateway sends with each request; not checked if absent. */
  secret: string | undefined
  logError(line: string): void
}

export const BODY_LIMIT = 25_000_000
/**
 * Set by the gateway for requests with a key of the platform. `platform` is the platform itself, which asks the server
 * whatever the deployment's own code or its configuration does.
 */
const OPERATOR_HEADER = 'x-pilothouse-operator'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const KNOWN_METHODS = new Set([...METHODS, 'HEAD', 'OPTIONS'])

/** The agent server's HTTP surface: every row of the operation table, handled by the function of its name. */
export function createApp({
  handlers,
  rpc,
  secret,
  logError,
  observe,
  ignore,
  isDisabled,
  cors,
  auth,
  custom,
}: AppOptions): App {
  const app: App = new Hono()
  if (observe)
    app.use(async (context, next) => {
      await next()
      const method = KNOWN_METHODS.has(context.req.method) ? context.req.method : 'other'
      observe(method, context.get('route') ?? 'none', context.res.status)
    })
  if (cors) app.use(cors)
  app.use(async (context, next) => {
    if (secret && !isSame(context.req.header('x-pilothouse-child') ?? '', secret))
      throw new HttpError(403, 'This agent server can only be reached through its deployment address.')
    const operator = secret && context.req.header(OPERATOR_HEADER)
    if (operator === 'platform') {
      // Where the platform did not start this process itself, this tells it who checks the callers.
      context.header('x-pilothouse-authenticates', String(auth !== undefined))
      return dispatch(context, true)
    }
    context.set('isOperator', operator !== undefined)
    // The deployment's own code must not see them.
    for (const name of ['x-pilothouse-child', OPERATOR_HEADER]) context.req.raw.headers.delete(name)
    await next()
  })
  app.use(
    bodyLimit({
      maxSize: BODY_LIMIT,
      onError: () => {
        throw new HttpError(413, `The request body is larger than ${BODY_LIMIT / 1_000_000} MB.`)
      },
    }),
  )
  if (auth)
    app.use(async (context, next) => {
      const { method, path } = context.req
      const row = matchRow(agentServer, method === 'HEAD' ? 'GET' : method, segmentsOf(path))?.row
      if (method !== 'OPTIONS' && !(row && isPublic(row.id as OperationId))) {
        context.set('caller', await auth.by.authenticate(context.req.raw, context.get('isOperator')))
      }
      await next()
    })
  if (custom) app.route('/', custom)
  app.all('*', (context) => dispatch(context))
  app.onError((error, context) => {
    // Thrown by the deployment's own routes, with whatever copy of the library.
    if ('getResponse' in error) return (error as HTTPException).getResponse()
    const known = error instanceof HttpError ? error : explainStoreError(error)
    if (known) return context.json(errorBody(known), known.status as 422, 'headers' in known ? known.headers : {})
    const requestId = randomUUID()
    logError(`${context.req.method} ${context.req.path} failed (request ${requestId}): ${stackOf(error)}`)
    return context.json({ detail: `Internal Server Error (request ${requestId})` }, 500, { 'X-Request-Id': requestId })
  })
  return app

  async function dispatch(context: Context, isPlatform = false): Promise<Response> {
    const { method } = context.req
    const url = new URL(context.req.url)
    const segments = segmentsOf(url.pathname)
    // HEAD is handled as GET; the HTTP server drops the body.
    const found = matchRow(agentServer, method === 'HEAD' ? 'GET' : method, segments)
    if (isHandshake(context) && found?.row.id !== 'streamThreadEvents')
      throw new HttpError(404, 'There is no WebSocket at this path.')
    if (!found || (method === 'HEAD' && !isAtOnce(found.row))) return refuse(context, segments)
    if (!isPlatform && isDisabled?.(found.row.path))
      throw new HttpError(404, 'The graph configuration file switches this off.')
    context.set('route', found.row.path)
    nameRequest(method, found.row.path)
    if (isHandshake(context)) return context.body(null, 204)
    const caller = context.get('caller')
    if (isRpc(found.row.id)) {
      const handle = rpc[found.row.id] as (request: Request, params: object, caller?: Caller) => Promise<Response>
      return handle(context.req.raw, found.params, caller)
    }
    const id = found.row.id as keyof Handlers
    const schemas: RowSchemas = agentServerSchemas[id]
    // The table ties each handler to its own schemas; once chosen at run time, only the parsed request tells them apart.
    const handle = handlers[id] as (input: unknown) => Promise<Reply>
    const onIgnored = (field: string) => ignore?.(context.req.header('user-agent') ?? '', found.row.path, field)
    const input = await parseRequest(schemas, url, () => context.req.text(), onIgnored)
    const { headers, signal } = context.req.raw
    const { params } = found
    const only =
      auth && caller && (await authorize(id, { ...auth, params, ...input, caller } as Parameters<typeof authorize>[1]))
    return toResponse(context, await handle({ params, ...input, headers, signal, caller, only }))
  }
}

/** Whether a WebSocket asks to be let in, as a request for the events that it will carry. */
const isHandshake = ({ env }: Context): boolean => (env as HandshakeEnv | undefined)?.isHandshake === true

/** For requests that match no row: a 404, a 405 with the allowed methods, or for OPTIONS just those methods. */
function refuse(context: Context, segments: string[]): Response {
  const others = METHODS.filter((method) => matchRow(agentServer, method, segments))
  if (!others.length) throw new HttpError(404, 'Not Found')
  const read = matchRow(agentServer, 'GET', segments)?.row
  context.header('Allow', [...others, ...(read && isAtOnce(read) ? ['HEAD'] : []), 'OPTIONS'].join(', '))
  if (context.req.method === 'OPTIONS') return context.body(null, 204)
  throw new HttpError(405, 'Method Not Allowed')
}

/** Answered without waiting for a run. */
const isAtOnce = (row: Operation): boolean => row.response !== 'stream' && !STATE_ANSWERS.has(row.id)

const isRpc = (id: string): id is RpcId => (RPC_IDS as readonly string[]).includes(id)

function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

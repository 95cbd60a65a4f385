import 'server-only'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { matchRow } from '@/lib/contracts/wire/api'
import { highestRole } from '@/lib/contracts/wire/rights'
import { AppError, type ErrorCode, HTTP_STATUS } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { type Actor, actorOfToken, rightsOf, type TokenStamp } from '../access/actor'
import { findToken, noteTokenUse } from '../access/api-tokens'
import { addressLimit, assertAllowed, limitFailures, sharedLimiter } from '../access/shared-limiter'
import { env } from '../process/env'
import { log } from '../process/log'
import { errorView, newRequestId, parseInput } from '../process/result'
import { shutdownSignal } from '../process/shutdown'
import { fileResponse } from '../relay/download'
import { readBody } from '../relay/relay'
import { BODY_LIMITS } from '../transport/body-limits'
import { deploymentRoutes } from './deployment-routes'
import { openapiDocument } from './openapi'
import type { ApiFile, ApiRoute } from './route'
import { workspaceRoutes } from './workspace-routes'

export const API_ROUTES: readonly ApiRoute[] = [...deploymentRoutes, ...workspaceRoutes]

const PREFIX = '/api/v1'
const MINUTE_MS = 60_000
/** Of a token. */
const REQUESTS = { max: 600, windowMs: MINUTE_MS }
/** Requests of an address without a valid token. */
const FAILURES = { max: 60, windowMs: MINUTE_MS }
const MAX_PATH_CHARS = 2_000

/**
 * Serves `/api/v1`. Only a bearer token identifies the caller: cookies are never read, so no page of another site can use a
 * session here.
 */
export async function serveHttpApi(request: Request): Promise<Response> {
  const requestId = newRequestId()
  try {
    const segments = segmentsOf(request)
    if (segments.join('/') === 'openapi.json' && request.method === 'GET')
      return json(openapiDocument(API_ROUTES, env().NEXTAUTH_URL))
    const actor = await bearer(request)
    const found = matchRow(API_ROUTES, request.method, segments)
    if (!found) return problem(unmatched(segments), requestId, { allow: methodsOf(segments) })
    return await respond(request, found.row, found.params, actor)
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return problem(error, requestId)
  }
}

async function respond(
  request: Request,
  route: ApiRoute,
  params: Record<string, string>,
  actor: Actor & { token: TokenStamp },
): Promise<Response> {
  const search = new URL(request.url).searchParams
  if (!route.query && search.size > 0) throw new AppError('invalid', 'This address takes no query.')
  const value = await route.handle({
    actor,
    workspace: actor.token.workspace,
    params,
    query: route.query && parseInput(route.query, queryOf(search)),
    body: route.body && parseInput(route.body, await bodyOf(request)),
    key: parseInput(Key, request.headers.get('idempotency-key') ?? undefined),
    signal: AbortSignal.any([request.signal, shutdownSignal()]),
  })
  if (!(route.response instanceof z.ZodType)) return await fileResponse(value as ApiFile) // as the type of `route` demands
  const parsed = route.response.safeParse(value)
  if (!parsed.success) throw new Error(`The response of ${route.id} does not fit its schema.`, { cause: parsed.error })
  return json(parsed.data)
}

const Key = z
  .string()
  .regex(/^[\x21-\x7e]{8,100}$/, 'Idempotency-Key: use 8 to 100 visible ASCII characters.')
  .default(() => randomUUID())

/** The actor of the request's token. Throws AppError unauthenticated or rate_limited. */
async function bearer(request: Request): Promise<Actor & { token: TokenStamp }> {
  const limit = addressLimit('api', request.headers.get('x-forwarded-for'), FAILURES)
  const token = await limitFailures(limit, () => findToken(request.headers.get('authorization')), tooMany(FAILURES))
  if (!token) throw new AppError('unauthenticated', 'Send a valid API token: Authorization: Bearer pht_…')
  assertAllowed(await sharedLimiter().take({ key: `token:${token.id}`, ...REQUESTS }), tooMany(REQUESTS))
  void noteTokenUse(token.id).catch((error: unknown) => log.warn('token.use_not_noted', { token: token.id, error }))
  const { token: stamp, ...rest } = actorOfToken(token)
  const actor = { ...rest, token: stamp as TokenStamp } // `actorOfToken` always sets it
  if (token.account && !highestRole(await rightsOf(actor, token.workspace)))
    throw new AppError('unauthenticated', 'The owner of this token is no longer a member of its workspace.')
  return actor
}

const tooMany = ({ max }: { max: number }) => `Too many requests: at most ${max} a minute.`

/** The path's segments below the prefix, each decoded once. */
function segmentsOf(request: Request): string[] {
  const { pathname } = new URL(request.url)
  const refused = new AppError('not_found', 'There is no such address.')
  if (pathname.length > MAX_PATH_CHARS || /%2f|%5c|%00|\\/i.test(pathname)) throw refused
  try {
    return pathname.slice(PREFIX.length).replace(/\/$/, '').split('/').slice(1).map(decodeURIComponent)
  } catch {
    throw refused
  }
}

const METHODS = ['GET', 'POST', 'PATCH'] as const
const methodsOf = (segments: string[]) =>
  METHODS.filter((method) => matchRow(API_ROUTES, method, segments)).join(', ') || undefined
const unmatched = (segments: string[]) =>
  methodsOf(segments)
    ? new AppError('unsupported', `This address takes ${methodsOf(segments)} only.`)
    : new AppError('not_found', `There is no such address. See ${PREFIX}/openapi.json.`)

/** A repeated parameter is refused with its list, which no schema accepts. */
const queryOf = (search: URLSearchParams) =>
  Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name)
      return [name, values.length > 1 ? values : values[0]]
    }),
  )

async function bodyOf(request: Request): Promise<unknown> {
  // A client that sends no body may leave out its type too.
  const { headers } = request
  if (headers.get('content-type') === null && (headers.get('content-length') ?? '0') === '0') return undefined
  return await readBody(request, BODY_LIMITS.httpApi)
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'authorization' }

const json = (value: unknown): Response =>
  new Response(printJson(value), { headers: { ...HEADERS, 'content-type': 'application/json; charset=utf-8' } })

const TITLES: Record<ErrorCode, string> = {
  unauthenticated: 'No valid token',
  forbidden: 'Role too low',
  not_found: 'Not found',
  invalid: 'Invalid request',
  conflict: 'Conflict',
  too_large: 'Too large',
  rate_limited: 'Too many requests',
  unsupported: 'Not supported',
  upstream_refused_key: 'Upstream refused the key',
  upstream_failed: 'Upstream failed',
  upstream_shape: 'Upstream response not understood',
  upstream_unreachable: 'Upstream unreachable',
  stopping: 'Console is stopping',
  internal: 'Internal error',
}

/** A failure after RFC 9457. */
function problem(error: unknown, requestId: string, more: { allow?: string } = {}): Response {
  const view = errorView(error, requestId)
  const status = more.allow === undefined ? HTTP_STATUS[view.code] : 405
  const headers = new Headers({ ...HEADERS, 'content-type': 'application/problem+json; charset=utf-8' })
  if (more.allow !== undefined) headers.set('allow', more.allow)
  if (status === 401) headers.set('www-authenticate', 'Bearer realm="pilothouse"')
  if (view.retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(view.retryAfterMs / 1000)))
  const body = {
    ...{ type: 'about:blank', title: TITLES[view.code], status, detail: view.message, code: view.code },
    ...{ fields: view.fields, request_id: view.requestId },
  }
  return new Response(JSON.stringify(body), { status, headers })
}

import 'server-only'
import { VALUES_ANSWERS } from '@/lib/contracts/agent-server'
import { type AnyInput, type ApiTable, matchRow, type Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { AppError, HTTP_STATUS } from '@/lib/errors'
import { parseJson, printJson } from '@/lib/json/lossless'
import { assertOwnOrigin } from '../access/origin'
import { errorView } from '../process/result'
import { shutdownSignal } from '../process/shutdown'
import { joinSignals, onStreamEnd } from '../process/signals'
import { BODY_LIMITS } from '../transport/body-limits'
import { callAny, openAnyStream } from '../upstream/call'
import { redactedStream } from './redacted-stream'

// Serves reads to the browser by matching the path against an operation table. Roles and upstreams are left to `call`;
// a path that matches no read is not found.

const MAX_PATH_CHARS = 4096
export const PRIVATE_HEADERS = {
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  vary: 'cookie',
}

type Found = { op: Operation; input: OperationPlace & AnyInput }

/** The handlers of a relay route. They take the path from the request's URL, so that it is decoded exactly once. */
export function relay(table: ApiTable) {
  const handle = (request: Request) => respond(table, request)
  return { GET: handle, POST: handle }
}

async function respond(table: ApiTable, request: Request): Promise<Response> {
  const signals = joinSignals(request.signal, shutdownSignal())
  try {
    refuseForeignSite(request)
    const { op, input } = await find(table, request)
    const options = { signal: signals.signal }
    if (op.response === 'stream') {
      const lastEventId = request.headers.get('last-event-id') ?? undefined
      const { body } = await openAnyStream(op, input, { ...options, lastEventId })
      return streamResponse(redactedStream(onStreamEnd(body, signals.release)))
    }
    const asText = VALUES_ANSWERS.has(op.id) ? 'values' : undefined
    const value = await callAny(op, input, { ...options, asText })
    signals.release()
    return valueResponse(op, value)
  } catch (error) {
    signals.release()
    // The client is gone, so the body does not matter.
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return errorResponse(error)
  }
}

/** Protects reads from other sites: a POST needs our origin, and a GET must not be cross-site. Throws AppError forbidden. */
export function refuseForeignSite(request: Request): void {
  const isForeign = !['same-origin', 'none', null].includes(request.headers.get('sec-fetch-site'))
  if (request.method !== 'GET') assertOwnOrigin(request.headers)
  else if (isForeign) throw new AppError('forbidden', 'This request came from another site and was refused.')
}

/** Parses `/api/relay/{workspace}/control-plane/…`, `…/traces/…` or `…/agents/{deployment}/…`. Throws AppError not_found. */
async function find(table: ApiTable, request: Request): Promise<Found> {
  const { pathname, searchParams } = new URL(request.url)
  const [, , workspace, kind, ...rest] = segmentsOf(pathname)
  const deploymentId = kind === 'agents' ? rest.shift() : undefined
  const match = matchRow(table, request.method, rest)
  if (!workspace || match?.row.effect !== 'read') throw new AppError('not_found', 'There is no such read operation.')
  const body = request.method === 'POST' ? await readBody(request, BODY_LIMITS.relay) : undefined
  return { op: match.row, input: { workspace, deploymentId, params: match.params, query: queryOf(searchParams), body } }
}

/** A path's segments, each decoded once. Encoded slashes are refused: a server that decodes twice would see another path. */
function segmentsOf(pathname: string): string[] {
  const refused = new AppError('not_found', 'There is no such path.')
  if (pathname.length > MAX_PATH_CHARS || /%2f|%5c|%00|\\/i.test(pathname)) throw refused
  return pathname
    .replace(/\/$/, '')
    .split('/')
    .slice(1)
    .map((segment) => {
      try {
        return decodeURIComponent(segment)
      } catch {
        throw refused
      }
    })
}

/** Repeated keys become arrays. Undefined where there is no query, for rows that take none. */
function queryOf(search: URLSearchParams): Record<string, string | string[]> | undefined {
  const names = [...new Set(search.keys())]
  if (names.length === 0) return undefined
  return Object.fromEntries(
    names.map((name) => {
      const values = search.getAll(name)
      return [name, values.length > 1 ? values : (values[0] ?? '')]
    }),
  )
}

/** A JSON body. Throws AppError invalid, or too_large beyond `limit` bytes. */
export async function readBody(request: Request, limit: number): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    throw new AppError('invalid', 'The body must be JSON.')
  const parts: Uint8Array[] = []
  let size = 0
  // Counted while reading: a declared length may be absent or wrong.
  for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > limit) throw new AppError('too_large', `The body is larger than ${limit / 1024} kB.`)
    parts.push(part)
  }
  const text = Buffer.concat(parts).toString('utf8')
  if (text === '') return undefined
  try {
    return parseJson(text)
  } catch (cause) {
    throw new AppError('invalid', 'The body is not valid JSON.', { cause })
  }
}

function valueResponse(op: Operation, value: unknown): Response {
  if (op.response !== 'text')
    return new Response(printJson(value ?? null), {
      headers: { ...PRIVATE_HEADERS, 'content-type': 'application/json; charset=utf-8' },
    })
  // Another server's HTML must not run as our page.
  const headers = {
    ...PRIVATE_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "sandbox; default-src 'none'",
  }
  return new Response(String(value), { headers })
}

/** Sends a first byte immediately, because the server holds the headers back until there is one. */
function streamResponse(body: ReadableStream<Uint8Array>): Response {
  const opened = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
  })
  const headers = {
    ...PRIVATE_HEADERS,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'private, no-store, no-transform',
    'x-accel-buffering': 'no',
  }
  return new Response(body.pipeThrough(opened), { headers })
}

/** The response for an error, with only what the browser may see. */
export function errorResponse(error: unknown): Response {
  const view = errorView(error)
  const headers = new Headers(PRIVATE_HEADERS)
  headers.set('content-type', 'application/json; charset=utf-8')
  if (view.retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(view.retryAfterMs / 1000)))
  return new Response(JSON.stringify(view), { status: HTTP_STATUS[view.code], headers })
}

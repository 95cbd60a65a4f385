import 'server-only'
import { Agent, type buildConnector, fetch, Headers } from 'undici'
import type { Reach } from '@/lib/contracts/wire/address'
import type { Method } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { env } from '../process/env'
import { outside } from '../process/outside'
import { joinSignals } from '../process/signals'
import { traceHeaders } from '../process/telemetry'
import { gatheredStream } from '../transport/gathered-stream'
import { openResponse, STREAM_SOCKET } from '../transport/stream-request'
import { guardedConnector } from './address-guard'
import { allowedUpstreams, type Destination } from './destination'
import { connectionError, lateError } from './network-error'

// All HTTP from this server to upstreams. Redirects are errors, because they can bypass the address check and no operation
// needs them; streams and documents have separate pools so that documents never queue behind streams.

const CONNECT_TIMEOUT_MS = 5_000
const DOCUMENT_TIMEOUT_MS = 30_000
const STREAM_HEADERS_TIMEOUT_MS = 60_000
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const DOCUMENT_CONNECTIONS = 32

export type UpstreamRequest = {
  /** The server, the reach of the request and the key it carries. The path prefix of the address is kept. */
  to: Destination
  /** Path and query below the base, as `buildPath` returns them. */
  path: string
  method: Method
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Deadline of the whole exchange, or of the headers for a stream. Zero for none. */
  timeoutMs?: number
  maxBytes?: number
  /** The stream of a run that is recorded already: what it would wait for is the end of other runs. */
  ignoresLimit?: boolean
}

export type UpstreamResponse = { status: number; headers: Headers; contentType: string; text: string }
export type UpstreamStream = { status: number; headers: Headers; contentType: string; body: ReadableStream<Uint8Array> }

type Door = { documents: Agent; streams: buildConnector.connector }
// On globalThis: pages, route handlers and actions each have their own copy of this module.
const shared = globalThis as unknown as { pilothouseDoors?: Map<string, Door>; pilothouseStreams?: Map<string, number> }

/** One per reach, so that a socket to a listed origin is never reused by a request that may not reach it. */
function doorFor(reach: Reach): Door {
  shared.pilothouseDoors ??= new Map()
  const key = [reach, ...env().ALLOWED_UPSTREAMS].join(' ')
  let door = shared.pilothouseDoors.get(key)
  if (!door) {
    const guard = { reach, ranges: allowedUpstreams().ranges, timeoutMs: CONNECT_TIMEOUT_MS }
    door = {
      documents: new Agent({
        connect: guardedConnector(guard),
        connections: DOCUMENT_CONNECTIONS,
        pipelining: 1,
        // Undici's default limits of 300 s would end a long `join`. Each request sets its own deadline.
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
      streams: guardedConnector({ ...guard, socket: STREAM_SOCKET }),
    }
    shared.pilothouseDoors.set(key, door)
  }
  return door
}

/** The full URL of a request. `parseBase` has already refused a base with a query or user info. */
export function joinUrl(base: URL, path: string): URL {
  const wanted = `${base.pathname.replace(/\/+$/, '')}${path}`
  const url = new URL(`${base.origin}${wanted}`)
  // A dot segment in any spelling would escape the prefix, and with it the deployment that the caller named.
  if (!path.startsWith('/') || `${url.pathname}${url.search}` !== wanted)
    throw new AppError('invalid', 'The path leaves the address it belongs to.')
  return url
}

/** How messages name a server: its kind and address. */
const nameOf = ({ to: { what, base } }: UpstreamRequest) =>
  `${what} at ${base.origin}${base.pathname.replace(/\/+$/, '')}`

type HttpResponse<Body> = { status: number; headers: Headers; body: Body }

/** The options that documents and streams share. */
const outgoing = ({ to, method, headers, body }: UpstreamRequest, signal: AbortSignal) => ({
  method,
  headers: { 'user-agent': 'pilothouse', ...traceHeaders(), ...headers, ...to.credentials },
  body,
  signal,
})

async function openDocument(request: UpstreamRequest, signal: AbortSignal) {
  const { base, reach } = request.to
  const sent = { ...outgoing(request, signal), dispatcher: doorFor(reach).documents, redirect: 'manual' as const }
  const response = await fetch(joinUrl(base, request.path), sent)
  if (isRedirect(response.status)) await response.body?.cancel()
  return notRedirected(response, request)
}

/** Avoids `fetch`, whose body is slow for many small chunks. */
async function openStream(request: UpstreamRequest, signal: AbortSignal) {
  const { base, reach } = request.to
  const release = countStream(request)
  const sent = { ...outgoing(request, signal), connect: doorFor(reach).streams }
  const body = await outside(() => openResponse(joinUrl(base, request.path), sent)).catch((error: unknown) => {
    release()
    throw error
  })
  body.once('close', release)
  const status = body.statusCode ?? 0
  if (isRedirect(status)) body.on('error', () => {}).destroy()
  const flat = Object.entries(body.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((one): [string, string] => [name, one]),
  )
  return notRedirected({ status, headers: new Headers(flat), body }, request)
}

/** Streams to all upstreams that are open. */
export const openStreams = (): number =>
  [...(shared.pilothouseStreams?.values() ?? [])].reduce((sum, one) => sum + one, 0)

/** Further streams that may be opened to a server; less than zero while there are more than the limit. */
export const freeStreams = ({ origin }: URL): number =>
  env().PILOTHOUSE_STREAMS - (shared.pilothouseStreams?.get(origin) ?? 0)

/** Counts a stream as open until the returned function is called. Throws AppError rate_limited at the limit. */
function countStream(request: UpstreamRequest): () => void {
  shared.pilothouseStreams ??= new Map()
  const open = shared.pilothouseStreams
  const { origin } = request.to.base
  const add = (by: number) => open.set(origin, (open.get(origin) ?? 0) + by)
  if (!request.ignoresLimit && freeStreams(request.to.base) <= 0)
    throw new AppError('rate_limited', `Too many streams to the ${nameOf(request)} are open. Close some and try again.`)
  add(1)
  return () => add(-1)
}

const isRedirect = (status: number) => status >= 300 && status < 400

function notRedirected<Body>(response: HttpResponse<Body>, request: UpstreamRequest): HttpResponse<Body> {
  if (!isRedirect(response.status)) return response
  throw new AppError(
    'upstream_failed',
    `The ${nameOf(request)} responded with a redirect, which is never followed. Enter its final address.`,
    { upstreamStatus: response.status },
  )
}

type Bytes = AsyncIterable<Uint8Array> | null

/** Reads a body up to `limit` decompressed bytes. */
async function readText(body: Bytes, limit: number): Promise<{ text: string; isWhole: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    // Leaving the loop cancels the body, and with it the connection.
    if (size > limit) return { text: decode(parts), isWhole: false }
    parts.push(part)
  }
  return { text: decode(parts), isWhole: true }
}
const decode = (parts: Uint8Array[]) => new TextDecoder().decode(Buffer.concat(parts))

/** Runs `work` under the caller's signal and a deadline, and turns network errors into AppErrors. */
async function guarded<T>(
  request: UpstreamRequest,
  timeoutMs: number,
  work: (signal: AbortSignal, release: () => void) => Promise<T>,
) {
  const joined = joinSignals(request.signal)
  let isLate = false
  const onLate = () => {
    isLate = true
    joined.abort()
  }
  const timer = timeoutMs > 0 ? setTimeout(onLate, timeoutMs) : undefined
  try {
    request.signal?.throwIfAborted()
    return await work(joined.signal, joined.release)
  } catch (error) {
    joined.release()
    request.signal?.throwIfAborted()
    if (isLate) throw lateError(nameOf(request), timeoutMs)
    throw error instanceof AppError ? error : connectionError(error, nameOf(request))
  } finally {
    clearTimeout(timer)
  }
}

const isOk = (status: number) => status >= 200 && status < 300

async function read(
  { status, headers, body }: HttpResponse<Bytes>,
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  const ok = isOk(status)
  const limit = ok ? (request.maxBytes ?? MAX_DOCUMENT_BYTES) : MAX_ERROR_BYTES
  const { text, isWhole } = await readText(body, limit)
  if (ok && !isWhole)
    throw new AppError(
      'too_large',
      `The ${nameOf(request)} responded with more than ${limit >> 20} MB. Ask for less at a time.`,
      {
        upstreamStatus: status,
      },
    )
  return { status, headers, contentType: headers.get('content-type') ?? '', text }
}

/** Sends a request and reads the whole response, whatever its status. Throws AppError if no response came. */
export function requestText(request: UpstreamRequest): Promise<UpstreamResponse> {
  return guarded(request, request.timeoutMs ?? DOCUMENT_TIMEOUT_MS, async (signal, release) => {
    const response = await read(await openDocument(request, signal), request)
    release()
    return response
  })
}

/**
 * Sends a request whose response is a stream. The body has no deadline, so its reader must watch for silence;
 * a response that is not a successful event stream comes back as `text`.
 */
export function requestStream(request: UpstreamRequest): Promise<UpstreamStream | UpstreamResponse> {
  return guarded(request, request.timeoutMs ?? STREAM_HEADERS_TIMEOUT_MS, async (signal, release) => {
    const response = await openStream(request, signal)
    const contentType = response.headers.get('content-type') ?? ''
    if (isOk(response.status) && /^text\/event-stream\b/i.test(contentType))
      return { ...response, contentType, body: outside(() => gatheredStream(response.body, release)) }
    const text = await read(response, request)
    release()
    return text
  })
}

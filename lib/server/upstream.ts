import 'server-only'
import { Agent, fetch, type Headers, type Response } from 'undici'
import type { Reach } from '@/lib/contracts/address'
import type { Method } from '@/lib/contracts/api'
import { AppError } from '@/lib/errors'
import { guardedConnector } from './address-guard'
import { allowedUpstreams, type Destination } from './destination'
import { env } from './env'
import { joinSignals, onStreamEnd } from './signals'
import { connectionError, lateError } from './upstream-error-text'

// The one door through which this server talks to others. Redirects are errors: a redirect is the classic way round an
// address check, and no operation of ours answers with one. Streams and documents have pools of their own, so that
// documents never queue behind streams.

const CONNECT_TIMEOUT_MS = 5_000
const DOCUMENT_TIMEOUT_MS = 30_000
const STREAM_HEADERS_TIMEOUT_MS = 60_000
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const DOCUMENT_CONNECTIONS = 32
const STREAM_CONNECTIONS = 512

export type UpstreamRequest = {
  /** The server, how far the request may reach, and the key it carries. The path prefix of its address is kept. */
  to: Destination
  /** Path and query below the base, as `buildPath` gives it. */
  path: string
  method: Method
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Deadline of the whole exchange, of the headers for a stream. Zero for none. */
  timeoutMs?: number
  maxBytes?: number
}

export type UpstreamText = { status: number; headers: Headers; contentType: string; text: string }
export type UpstreamStream = { status: number; headers: Headers; contentType: string; body: ReadableStream<Uint8Array> }

type Kind = 'document' | 'stream'
const shared = globalThis as unknown as { pilothouseAgents?: Map<string, Agent> }

/** One agent for each kind and reach: a socket opened for a listed origin is never reused by someone who may not reach it. */
function agentFor(kind: Kind, reach: Reach): Agent {
  shared.pilothouseAgents ??= new Map()
  const key = [kind, reach, ...env().ALLOWED_UPSTREAMS].join(' ')
  let agent = shared.pilothouseAgents.get(key)
  if (!agent) {
    agent = new Agent({
      connect: guardedConnector({ reach, ranges: allowedUpstreams().ranges, timeoutMs: CONNECT_TIMEOUT_MS }),
      connections: kind === 'stream' ? STREAM_CONNECTIONS : DOCUMENT_CONNECTIONS,
      pipelining: 1,
      // Undici's own limits of 300 s would end a quiet stream or a long `join`; deadlines are set per request here.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    shared.pilothouseAgents.set(key, agent)
  }
  return agent
}

/** The request's whole address. A base with a query or userinfo was refused when it was parsed. */
export function joinUrl(base: URL, path: string): URL {
  const wanted = `${base.pathname.replace(/\/+$/, '')}${path}`
  const url = new URL(`${base.origin}${wanted}`)
  // A dot segment in any spelling would climb out of the prefix, with it out of the deployment that the caller named.
  if (!path.startsWith('/') || `${url.pathname}${url.search}` !== wanted)
    throw new AppError('invalid', 'The path leaves the address it belongs to.')
  return url
}

/** How messages name a server: what it is and where. */
const nameOf = ({ to: { what, base } }: UpstreamRequest) =>
  `${what} at ${base.origin}${base.pathname.replace(/\/+$/, '')}`

async function open(kind: Kind, request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
  const { base, reach, credentials } = request.to
  const agent = agentFor(kind, reach)
  if (kind === 'stream' && (agent.stats[base.origin]?.running ?? 0) >= STREAM_CONNECTIONS)
    throw new AppError('rate_limited', `Too many streams to the ${nameOf(request)} are open. Close some and try again.`)
  const response = await fetch(joinUrl(base, request.path), {
    method: request.method,
    headers: { 'user-agent': 'pilothouse', ...request.headers, ...credentials },
    body: request.body,
    redirect: 'manual',
    dispatcher: agent,
    signal,
  })
  if (response.status < 300 || response.status >= 400) return response
  await response.body?.cancel()
  throw new AppError(
    'upstream_failed',
    `The ${nameOf(request)} answered with a redirect, which is never followed. Give its final address.`,
    { upstreamStatus: response.status },
  )
}

/** Reads a body up to a limit; the limit counts what comes out of decompression. */
async function readText(response: Response, limit: number): Promise<{ text: string; isWhole: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    // Leaving the loop cancels the body, and with it the connection.
    if (size > limit) return { text: decode(parts), isWhole: false }
    parts.push(part)
  }
  return { text: decode(parts), isWhole: true }
}
const decode = (parts: Uint8Array[]) => new TextDecoder().decode(Buffer.concat(parts))

/** Runs `work` under the caller's signal and a deadline, and turns what fetch throws into a sentence. */
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

const read = async (response: Response, request: UpstreamRequest): Promise<UpstreamText> => {
  const { status, headers, ok } = response
  const limit = ok ? (request.maxBytes ?? MAX_DOCUMENT_BYTES) : MAX_ERROR_BYTES
  const { text, isWhole } = await readText(response, limit)
  if (ok && !isWhole)
    throw new AppError(
      'too_large',
      `The ${nameOf(request)} answered with more than ${limit >> 20} MB. Ask for less at a time.`,
      {
        upstreamStatus: status,
      },
    )
  return { status, headers, contentType: headers.get('content-type') ?? '', text }
}

/** Sends a request and reads the whole answer, whatever its status. Throws AppError where no answer came. */
export function requestText(request: UpstreamRequest): Promise<UpstreamText> {
  return guarded(request, request.timeoutMs ?? DOCUMENT_TIMEOUT_MS, async (signal, release) => {
    const answer = await read(await open('document', request, signal), request)
    release()
    return answer
  })
}

/**
 * Sends a request whose answer is a stream. Its body has no deadline: whoever reads it watches for silence.
 * An answer that is not a success or not an event stream comes back read, as `text`.
 */
export function requestStream(request: UpstreamRequest): Promise<UpstreamStream | UpstreamText> {
  return guarded(request, request.timeoutMs ?? STREAM_HEADERS_TIMEOUT_MS, async (signal, release) => {
    const response = await open('stream', request, signal)
    const contentType = response.headers.get('content-type') ?? ''
    if (response.ok && response.body && /^text\/event-stream\b/i.test(contentType)) {
      const body = onStreamEnd(response.body as ReadableStream<Uint8Array>, release)
      return { status: response.status, headers: response.headers, contentType, body }
    }
    const answer = await read(response, request)
    release()
    return answer
  })
}

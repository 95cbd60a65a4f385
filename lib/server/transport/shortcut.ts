import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { API, DOCUMENTS, EVERYWHERE, OVER_TLS, TLS_PROTO } from '@/lib/response-headers.mjs'
import { log } from '../process/log'
import { pipeToResponse } from './direct-streams'

type Serve = (request: Request) => Promise<Response>
// On globalThis: instrumentation and the route handler each have their own copy of this module.
const shared = globalThis as { pilothouseShortcuts?: Map<string, Serve> }

/**
 * From now on a route's POST requests reach its handler without Next.js, whose way to it takes two milliseconds: as long as
 * everything else until a live connection is open. The handler must not need what Next.js provides, such as `cookies()`.
 */
export function offerShortcut(path: string, serve: Serve): void {
  shared.pilothouseShortcuts ??= new Map()
  shared.pilothouseShortcuts.set(path, serve)
}

/** Hands the request to the handler of its shortcut; undefined without one. */
export function shortcutOf(request: IncomingMessage, response: ServerResponse): (() => void) | undefined {
  const serve = request.method === 'POST' ? shared.pilothouseShortcuts?.get(request.url ?? '') : undefined
  return serve && (() => void take(serve, request, response))
}

async function take(serve: Serve, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  try {
    const { status, headers, body } = await serve(webRequest(request, left.signal))
    response.statusCode = status
    for (const [name, value] of headers) response.setHeader(name, value)
    for (const { key, value } of fixedHeaders(request)) response.setHeader(key, value)
    response.flushHeaders()
    if (body) await pipeToResponse(body, response)
    else response.end()
  } catch (error) {
    if (!left.signal.aborted) log.error('request.failed', { path: request.url, error })
    response.destroy()
  }
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
  const body: Buffer<ArrayBuffer> | null = request.read() // the guard hands it on when it is whole
  return new Request(`http://localhost${request.url}`, { method: 'POST', headers, body, signal })
}

/** Those that next.config.mjs gives to other responses of the API. */
function fixedHeaders({ headers }: IncomingMessage) {
  const isOverTls = new RegExp(`^${TLS_PROTO}$`).test(String(headers['x-forwarded-proto'] ?? ''))
  return [...EVERYWHERE, ...DOCUMENTS, ...API, ...(isOverTls ? OVER_TLS : [])]
}

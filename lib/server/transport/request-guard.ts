import 'server-only'
import { AsyncResource } from 'node:async_hooks'
import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import path from 'node:path'
import { BASE_PATH, withBasePath, withoutBasePath } from '@/lib/base-path'
import type { ErrorCode } from '@/lib/errors'
import { MAX_DEPTH } from '@/lib/json/lossless'
import { isLocalRequest, isOwnOrigin } from '../access/origin'
import { decodeSession, sessionCookieIn } from '../access/session'
import { env } from '../process/env'
import { log } from '../process/log'
import { newRequestId } from '../process/result'
import { isArgumentList, isDeeper } from './action-body'
import { ANONYMOUS_LIMIT, bodyLimitOf, HELD_LIMITS } from './body-limits'
import { clientAddress } from './client-address'
import { compressedFiles, leadToCompressed } from './compressed-files'
import { closeIdleAtStop } from './idle-connections'
import { measureRequest } from './request-metrics'
import { shortcutOf } from './shortcut'

/** Node looks for late requests every 30 s, so a connection may live that much longer. */
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 120_000
/** Longer than proxies keep idle connections: one closed just as it is used again fails its request. */
const KEEP_ALIVE_MS = 75_000
/** For the client to read a refusal. */
const LINGER_MS = 1_000
const PAUSE_MS = 10_000
/** Next.js repeats an address in two headers of a redirect, and clients such as Node read 16 kB of headers. */
const MAX_ADDRESS = 7_000
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
/** The HTTP API refuses two of them itself, in the form of its other refusals. */
const HTTP_API_METHODS = [...METHODS, 'PATCH', 'PUT', 'DELETE']

/** Probes and monitoring reach a console directly, and find these at the top whatever path it is below. */
const AT_THE_TOP = /^\/(healthz|readyz|metrics)$/

type Refusal = { status: number; code: ErrorCode; message: string; headers?: Record<string, string> }
type HandOn = () => unknown

const NO_METHOD: Refusal = {
  status: 405,
  code: 'unsupported',
  message: 'The console does not support this method.',
  headers: { allow: METHODS.join(', ') },
}
const NO_FORM: Refusal = { status: 415, code: 'unsupported', message: 'This page accepts no form data.' }
const TOO_DEEP: Refusal = {
  status: 400,
  code: 'too_large',
  message: `The request is nested more than ${MAX_DEPTH} levels deep.`,
}
const NO_ARGUMENTS: Refusal = { status: 400, code: 'invalid', message: 'The request is not one that a page sends.' }
const NO_ADDRESS: Refusal = { status: 400, code: 'invalid', message: 'The address is not encoded correctly.' }
const LONG_ADDRESS: Refusal = {
  status: 414,
  code: 'too_large',
  message: `The address is longer than ${MAX_ADDRESS} characters.`,
}
const ELSEWHERE: Refusal = {
  status: 404,
  code: 'not_found',
  message: `This console is below ${BASE_PATH}.`,
}
const NO_PAGE: Refusal = {
  status: 403,
  code: 'forbidden',
  message: 'This request did not come from a page of the console. Reload the page and try again.',
}
const NO_NAME: Refusal = {
  status: 421,
  code: 'forbidden',
  message: 'This console serves this machine only. Open it as localhost or 127.0.0.1.',
}
const BUSY: Refusal = {
  status: 503,
  code: 'rate_limited',
  message: 'The console is busy with other large requests. Try again in a moment.',
  headers: { 'retry-after': '5' },
}
const tooLarge = (limit: number): Refusal => ({
  status: 413,
  code: 'too_large',
  message: limit === 0 ? 'This address accepts no request body.' : `The request is larger than ${limit / 1024} kB.`,
})

// On globalThis: instrumentation and other parts of the build each have their own copy of this module.
type State = {
  /** Bytes of large bodies by account. */
  held: Map<string, number>
  /** Until when an account that sent too much may send no large bodies. */
  paused: Map<string, number>
  hasWarned: boolean
  refusals: { loggedAt: number; unlogged: number }
}
const shared = globalThis as { pilothouseGuard?: State }
const state = () => {
  shared.pilothouseGuard ??= {
    held: new Map(),
    paused: new Map(),
    hasWarned: false,
    refusals: { loggedAt: 0, unlogged: 0 },
  }
  return shared.pilothouseGuard
}

/**
 * Stands in front of every HTTP server of this process: a request reaches it only when its body has arrived whole and within
 * its limits (docs/decisions/0045-request-guard.md). Replaces `Server.prototype.emit`, because Next.js makes its server itself.
 */
export function startRequestGuard(): void {
  if (shared.pilothouseGuard) return
  state()
  const compressed = compressedFiles(path.join(process.cwd(), '.next/static'))
  const emit = Server.prototype.emit
  Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]): boolean {
    if (event === 'connection') {
      closeIdleAtStop(this)
      this.headersTimeout = HEADERS_TIMEOUT_MS
      this.requestTimeout = REQUEST_TIMEOUT_MS
      this.keepAliveTimeout = KEEP_ALIVE_MS
    }
    const emitAsUsual = () => Reflect.apply(emit, this, [event, ...args]) as boolean
    if (event !== 'request') return emitAsUsual()
    const [request, response] = args as [IncomingMessage, ServerResponse]
    guard(request, response, compressed, shortcutOf(request, response) ?? emitAsUsual)
    return true
  } as typeof emit
}

function guard(
  request: IncomingMessage,
  response: ServerResponse,
  compressed: ReadonlySet<string>,
  handOn: HandOn,
): void {
  noteClient(request)
  const declared = Number(request.headers['content-length'] ?? 0)
  if (BASE_PATH && AT_THE_TOP.test(pathOf(request))) request.url = withBasePath(request.url ?? '')
  const asked = pathOf(request)
  const at = withoutBasePath(asked)
  measureRequest(request, response, at)
  leadToCompressed(compressed, request, response, asked)
  const limit = at === undefined ? 0 : bodyLimitOf(at)
  const refusal = isDecodable(asked) ? refusalOf(request, at, declared, limit) : NO_ADDRESS
  if (refusal) refuse(request, response, refusal)
  else if (request.headers['transfer-encoding'] === undefined && declared === 0) handOn()
  // In the context of this request: those of one connection share what runs when a body ends.
  else new Body(request, response, { declared, limit, handOn: AsyncResource.bind(handOn) })
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

/** Next.js answers 500 for a path that is not, and PostgreSQL refuses texts with a zero byte. */
function isDecodable(path: string): boolean {
  try {
    return !decodeURIComponent(path).includes('\0')
  } catch {
    return false
  }
}

/** What can be refused without reading the body. */
function refusalOf(request: IncomingMessage, at: string | undefined, declared: number, limit: number) {
  const { method = '', headers, url = '', socket } = request
  if (env().PILOTHOUSE_SIGN_IN === 'link' && !isLocalRequest(headers.host, socket.localAddress)) return NO_NAME
  if (url.length > MAX_ADDRESS) return LONG_ADDRESS
  if (at === undefined) return ELSEWHERE
  if (!(at.startsWith('/api/v1/') ? HTTP_API_METHODS : METHODS).includes(method)) return NO_METHOD
  // Actions take one encoding. Next.js would parse these two for every page, whether they name an action or not.
  const isForm = /^(multipart\/form-data|application\/x-www-form-urlencoded)/i.test(headers['content-type'] ?? '')
  if (isForm && !at.startsWith('/api/')) return NO_FORM
  if (method === 'POST' && headers['next-action'] !== undefined) {
    // Next.js answers 500 for another origin, and would compare it with a header that anyone may send.
    if (!isOwnOrigin({ get: (name) => String(headers[name] ?? '') })) return NO_PAGE
    headers['x-forwarded-host'] = new URL(headers.origin ?? '').host
    if (declared === 0 && headers['transfer-encoding'] === undefined) return NO_ARGUMENTS
  }
  return declared > limit ? tooLarge(limit) : undefined
}

/** Collects a body in the request's own buffer, where Next.js finds it whole. */
class Body {
  #size = 0
  /** Of an action: to be checked once they are all there. */
  readonly #chunks: Buffer[] | undefined
  /** Whose session it is: undefined until that is known, null for nobody's. */
  #account: string | null | undefined
  #isRefused = false
  #isComplete = false
  /** Bytes counted in `held`. */
  #held = 0

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly options: { declared: number; limit: number; handOn: HandOn },
  ) {
    const { declared, limit } = options
    if (request.headers['next-action'] !== undefined) this.#chunks = []
    if (limit <= ANONYMOUS_LIMIT || (declared > 0 && declared <= ANONYMOUS_LIMIT)) this.#account = null
    else void this.#identify()
    const push = request.push
    request.push = (chunk: Buffer | null) => {
      if (this.#isRefused) return false
      this.#isComplete = chunk === null
      this.#size += chunk?.length ?? 0
      if (chunk) this.#chunks?.push(chunk)
      if (!this.#isAccepted()) return false
      push.call(request, chunk)
      this.#passOnWhenReady()
      // False makes Node stop reading from the connection.
      return this.#size <= ANONYMOUS_LIMIT || this.#account !== undefined
    }
  }

  async #identify(): Promise<void> {
    const claims = await decodeSession(sessionCookieIn(this.request.headers.cookie)).catch(() => null)
    this.#account = claims?.sub ?? null
    if (this.#isRefused || !this.#isAccepted()) return
    this.request.socket.resume()
    this.#passOnWhenReady()
  }

  #passOnWhenReady(): void {
    if (this.#isComplete && this.#account !== undefined) this.options.handOn()
  }

  #isAccepted(): boolean {
    const refusal = this.#refusal()
    if (!refusal) return true
    this.#isRefused = true
    if (this.#account && this.#size > this.options.limit) pause(this.#account)
    refuse(this.request, this.response, refusal)
    return false
  }

  #refusal(): Refusal | undefined {
    if (this.#size > this.options.limit) return tooLarge(this.options.limit)
    if (this.#account === null && this.#size > ANONYMOUS_LIMIT) return tooLarge(ANONYMOUS_LIMIT)
    const busy = this.#account && this.#size > ANONYMOUS_LIMIT ? this.#hold(this.#account) : undefined
    if (busy) return busy
    if (!this.#isComplete || !this.#chunks) return undefined
    if (isDeeper(this.#chunks, MAX_DEPTH)) return TOO_DEEP
    return isArgumentList(this.#chunks) ? undefined : NO_ARGUMENTS
  }

  /** Counts the memory that large bodies take, until they were read or their sender left. */
  #hold(account: string): Refusal | undefined {
    const { held, paused } = state()
    if (Date.now() < (paused.get(account) ?? 0)) return BUSY
    const more = this.#size - ANONYMOUS_LIMIT - this.#held
    const ofAccount = (held.get(account) ?? 0) + more
    const ofAll = [...held.values()].reduce((sum, one) => sum + one, more)
    if (ofAccount > HELD_LIMITS.account || ofAll > HELD_LIMITS.total) return BUSY
    held.set(account, ofAccount)
    // Not at the response's end alone, which for a stream may be hours later.
    if (this.#held === 0)
      for (const one of [this.request, this.response]) one.once('close', () => this.#release(account))
    this.#held += more
    return undefined
  }

  #release(account: string): void {
    const { held } = state()
    const rest = (held.get(account) ?? 0) - this.#held
    this.#held = 0
    if (rest > 0) held.set(account, rest)
    else held.delete(account)
  }
}

/** Responds and closes the connection; what the client still sends is not read. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, code, message, headers }: Refusal): void {
  const { socket } = request
  request._read = () => {} // Node would read the rest to its end
  socket.pause()
  // Closed at once, the connection would be reset, and a client that is still sending would never see the response.
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
  const requestId = newRequestId()
  note({ requestId, status, path: pathOf(request).slice(0, 200) })
  const isAction = request.headers['next-action'] !== undefined
  response.writeHead(status, {
    'content-type': isAction ? 'text/plain' : 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...headers,
  })
  // Next.js shows the text of such a response to an action.
  response.end(isAction ? message : JSON.stringify({ code, message, fields: [], requestId }))
}

/** Logs one refusal a second: a flood of requests must not become a flood of lines. */
function note(fields: Record<string, unknown>): void {
  const { refusals } = state()
  if (Date.now() - refusals.loggedAt < 1_000) {
    refusals.unlogged += 1
    return
  }
  log.warn('request.refused', { ...fields, before: refusals.unlogged })
  Object.assign(refusals, { loggedAt: Date.now(), unlogged: 0 })
}

/** Reading a body to its limit and refusing it costs the console more than the sender. */
function pause(account: string): void {
  const { paused } = state()
  for (const [other, until] of paused) if (until < Date.now()) paused.delete(other)
  paused.set(account, Date.now() + PAUSE_MS)
}

/** Makes `X-Forwarded-For` the client's address and nothing else, for all that reads it later. */
function noteClient(request: IncomingMessage): void {
  const given = request.headers['x-forwarded-for']
  const forwardedFor = Array.isArray(given) ? given.join(',') : given
  const { TRUSTED_PROXIES: trusted } = env()
  if (forwardedFor && trusted.length === 0 && !state().hasWarned) {
    state().hasWarned = true
    log.warn('forwarded_for.ignored', { reason: 'TRUSTED_PROXIES is not set' })
  }
  request.headers['x-forwarded-for'] = clientAddress(request.socket.remoteAddress, forwardedFor, trusted)
}

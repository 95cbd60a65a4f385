import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { closeUnread } from '../kernel/close-unread'
import { type AllowedOrigins, EXPOSED_HEADERS, isAllowedOrigin } from '../kernel/cors'
import { carryInSpan, describeRequest } from '../kernel/telemetry'
import { onWebSocket, refuseSocket, type Upgrade, withCredentials } from '../kernel/web-socket'
import { Absences } from './absences'
import type { CustomUrls } from './custom-urls'
import { forwardedHeaders, headerOf, requestHeaders } from './headers'
import { Tunnels } from './tunnel'
import type { Route, Upstream } from './upstream'

/** Read at each request. */
export type GatewayOptions = {
  target(deploymentId: string): Route
  /** Why a deployment without a server will have none shortly; undefined if it may. */
  whyDown?(deploymentId: string): Promise<string | undefined>
  isKey(given: string): boolean
  /** Addresses of deployments that do not begin with `/agents/`. */
  customUrls?: Pick<CustomUrls, 'find'>
  /** Origins whose pages may read the gateway's refusals; all if absent. */
  corsOrigins?: AllowedOrigins
  /** Whether agent cards, and nothing else, are answered without a key. */
  publicCards?: boolean
  /** For how long a request waits for agent servers that come back. */
  absences?: Absences
}

const AGENTS = /^\/agents\/([^/?#]+)(?=[/?]|$)/
/** The cards of the A2A protocol, by which other agents find this one and learn that it needs a key. */
const CARD = /^(\/a2a\/[^/]+)?\/\.well-known\/agent-card\.json$/
const RETRY_AFTER_S = 1

/**
 * Kept-alive connections, for reads only: a busy agent server may close one just as it is reused, and only a read can
 * be retried. Writes always use a new connection.
 */
const keepAliveAgent = new http.Agent({ keepAlive: true, timeout: 2000 })
const secureAgent = new https.Agent({ keepAlive: true, timeout: 2000 })

/** `isDown`: it may be known why. `isReturning`: it ends soon by itself. */
type Refusal = { status: number; detail: string; isTemporary?: boolean; isDown?: boolean; isReturning?: boolean }
type SocketOptions = {
  others?: (upgrade: Upgrade) => boolean
  obstacle?: (request: IncomingMessage) => Refusal | undefined
}
const DOWN = 'The agent server of this deployment is starting or down. Try again shortly.'
const CUT: Refusal = {
  status: 503,
  detail: 'The agent server of this deployment ended the connection.',
  isTemporary: true,
}
const STOPPING: Refusal = { status: 503, detail: 'The platform is stopping.' }

/**
 * Gives each deployment a stable address: `/agents/{deployment_id}/...` is forwarded to the current agent server,
 * unbuffered. Open requests are counted from routing on, so that a roll-out never stops a server that is still
 * responding.
 */
export function createGateway(options: GatewayOptions) {
  const isKey = (given: string) => options.isKey(given)
  const { absences = new Absences() } = options
  const placeOf = (request: IncomingMessage) => {
    const { url = '' } = request
    const custom = options.customUrls?.find(request)
    const id = custom?.id ?? AGENTS.exec(url)?.[1] ?? ''
    const prefix = custom?.prefix ?? `/agents/${id}`
    const [, path = '', query = ''] = /^([^?#]*)(\?.*)?/.exec(url.slice(prefix.length)) ?? []
    return { id, prefix, path: path || '/', query }
  }
  /**
   * The agent server for a request, or a refusal. Checks the key first, so that nothing is revealed without it; a
   * deployment with an authentication of its own checks its callers itself.
   */
  const choose = (id: string, key: string | undefined, isOpen: boolean): Upstream | Refusal => {
    const found = options.target(id.toLowerCase())
    const checksCallers = found.state === 'up' && found.child.authenticates
    if (!isOpen && !checksCallers && !key) return { status: 401, detail: 'The header X-Api-Key is missing.' }
    if (!isOpen && !checksCallers && !isKey(key ?? '')) return { status: 403, detail: 'The API key is not valid.' }
    if (found.state === 'up') return found.child
    if (found.state === 'unknown') return { status: 404, detail: `Deployment ${id} not found.` }
    const { reason, isReturning } = found
    return { status: 503, detail: reason ?? DOWN, isTemporary: true, isDown: reason === undefined, isReturning }
  }
  /** A refusal with its reason, if that is not for a moment. */
  const explained = async (id: string, refusal: Refusal): Promise<Refusal> => {
    const reason = refusal.isDown && (await options.whyDown?.(id.toLowerCase()).catch(() => undefined))
    return reason ? { status: refusal.status, detail: reason } : refusal
  }

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { corsOrigins = '*', publicCards = false } = options
    const { id, prefix, path, query } = placeOf(request)
    const key = request.headers['x-api-key']?.toString()
    // Browsers send preflight requests without the key.
    const isOpen = isPreflight(request) || (publicCards && request.method === 'GET' && CARD.test(path))
    const answer = (given: Refusal) => {
      allowOrigin(request, response, corsOrigins)
      // The actual request then gets the reason.
      if (isPreflight(request)) response.writeHead(204).end()
      else void explained(id, given).then((refusal) => refuse(request, response, refusal))
    }
    const pause = absences.waiter(id)
    const another = async (failed: Upstream | undefined, mayWait: boolean) => {
      for (let tried = failed; ; tried = undefined) {
        const found = choose(id, key, isOpen)
        const isAbsent = 'detail' in found ? found.isReturning : found === tried
        if (!isAbsent) return found
        if (!mayWait || !(await pause())) return 'detail' in found ? found : CUT
      }
    }
    const place = { path: path + query, prefix, isOperator: isKey(key ?? '') }
    const ways = { another, answer, taken: () => absences.end(id) }
    const begin = (chosen: Upstream | Refusal) => {
      if ('detail' in chosen) return answer(chosen)
      describeRequest({ 'pilothouse.deployment.id': id.toLowerCase() })
      void forward(request, response, place, chosen, ways)
    }
    const chosen = choose(id, key, isOpen)
    if ('detail' in chosen && chosen.isReturning && !isPreflight(request))
      void another(undefined, true).then((found) => response.destroyed || begin(found))
    else begin(chosen)
  }

  const tunnels = new Tunnels()
  let isClosed = false
  return {
    /** Whether a request is for a deployment. */
    takes: (request: IncomingMessage): boolean =>
      request.url?.startsWith('/agents/') === true || options.customUrls?.find(request) !== undefined,
    serve,
    /**
     * WebSockets of the server that `others` does not take. Callers have to be known before anything is forwarded.
     * `obstacle`: why nothing is forwarded now.
     */
    serveWebSockets(server: http.Server, { others, obstacle }: SocketOptions = {}): void {
      onWebSocket(server, (upgrade) => {
        if (others?.(upgrade)) return
        carryInSpan(upgrade, 'agents', (answered) => {
          const { id, prefix, path, query } = placeOf(upgrade.request)
          const headers = withCredentials(upgrade.request.rawHeaders)
          const key = headerOf(headers, 'x-api-key')
          const chosen = (isClosed ? STOPPING : obstacle?.(upgrade.request)) ?? choose(id, key, false)
          if ('detail' in chosen) {
            answered(chosen.status)
            return void explained(id, chosen).then((refusal) => refuseSocket(upgrade, refusal))
          }
          describeRequest({ 'pilothouse.deployment.id': id.toLowerCase() })
          const isOperator = isKey(key ?? '')
          tunnels.open({ ...upgrade, headers, path: path + query, prefix, isOperator, answered }, chosen)
        })
      })
    },
    /** Cuts the open WebSockets and refuses new ones. */
    closeWebSockets(): void {
      isClosed = true
      tunnels.closeAll()
    },
  }
}

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** CORS headers for the gateway's own responses, matching those of the agent servers. */
function allowOrigin({ headers }: IncomingMessage, response: ServerResponse, origins: AllowedOrigins): void {
  const { origin } = headers
  if (origins !== '*') response.setHeader('Vary', 'Origin')
  if (origin === undefined || !isAllowedOrigin(origins, origin)) return
  response.setHeader('Access-Control-Allow-Origin', origins === '*' ? '*' : origin)
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '))
  const [method, names] = [headers['access-control-request-method'], headers['access-control-request-headers']]
  if (method) response.setHeader('Access-Control-Allow-Methods', method)
  if (names) response.setHeader('Access-Control-Allow-Headers', names)
}

/** Answers without forwarding anything. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, detail, isTemporary }: Refusal,
): void {
  if (request.complete) request.resume()
  else closeUnread(request)
  response.writeHead(status, {
    ...(!request.complete && { connection: 'close' }),
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(isTemporary && { 'retry-after': String(RETRY_AFTER_S) }),
  })
  response.end(JSON.stringify({ detail }))
}

type Place = {
  path: string
  prefix: string
  /** Whether the request carries a key of the platform. */
  isOperator: boolean
}

type Ways = {
  /** The agent server that has replaced a failed one. With `mayWait` the same again, after a pause. */
  another(failed: Upstream, mayWait: boolean): Promise<Upstream | Refusal>
  answer(refusal: Refusal): void
  /** The agent server has responded. */
  taken(): void
}

/** Never rejects: every failure ends in a response. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  place: Place,
  child: Upstream,
  ways: Ways,
): Promise<void> {
  child.openRequests += 1
  let attempt: Attempt | undefined
  let hasFailed = false
  // The caller disconnected: tell the agent server at once, even before it has responded.
  const onLeave = () => attempt?.end()
  response.once('close', onLeave)
  try {
    attempt = new Attempt(request, child, place)
    const upstreamResponse = await attempt.response
    ways.taken()
    response.writeHead(
      upstreamResponse.statusCode ?? 502,
      upstreamResponse.statusMessage,
      forwardedHeaders(upstreamResponse.rawHeaders),
    )
    await passOn(upstreamResponse, response)
  } catch {
    if (response.destroyed) return
    // Abort the connection, so that the caller sees that the response is incomplete.
    if (response.headersSent) response.destroy()
    else hasFailed = true
  } finally {
    response.off('close', onLeave)
    attempt?.end()
    child.openRequests -= 1
  }
  if (!hasFailed) return
  const { mayRepeat = false, wasKept = false, isSent = true } = attempt ?? {}
  const next = !mayRepeat ? CUT : wasKept ? child : await ways.another(child, !isSent)
  if (response.destroyed) return
  if ('detail' in next) ways.answer(next)
  else await forward(request, response, place, next, ways)
}

/**
 * Resolves once the whole response is written; rejects if the agent server or the caller disconnects. Not `pipeline`,
 * which creates an AbortController and an exception per response: a tenth of the gateway's time.
 */
function passOn(upstreamResponse: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('finish', resolve).once('close', () => reject(new Error('The client disconnected.')))
    upstreamResponse.once('error', reject).pipe(response)
    // A short response goes out in one write; a stream's headers must not wait for its first event.
    setImmediate(() => {
      if (!upstreamResponse.readableDidRead && !response.writableEnded) response.flushHeaders()
    })
  })
}

/** A request on its way to one agent server. */
class Attempt {
  readonly response: Promise<IncomingMessage>
  readonly #upstream: http.ClientRequest
  /** Whether the agent server may have received something of it. */
  isSent = false

  /** Throws for a request that cannot be forwarded. */
  constructor(
    private readonly request: IncomingMessage,
    child: Upstream,
    { path, prefix, isOperator }: Place,
  ) {
    const { isSecure, prefix: below = '', host, secret, isPlatform } = child
    // Read once: of several processes, each reading is the next one.
    const { port } = child
    this.#upstream = (isSecure ? https : http).request({
      host,
      port,
      method: request.method,
      path: below + (isPlatform ? request.url : path),
      headers: requestHeaders(
        request.rawHeaders,
        { host, port, secret, isPlatform },
        prefix,
        request.headers['transfer-encoding'] !== undefined,
        isOperator,
      ),
      agent: child.agent ?? (this.#isQuestion && (isSecure ? secureAgent : keepAliveAgent)),
    })
    this.response = new Promise((resolve, reject) => {
      // `on`, not `once`: the rest of an upload after an early response (413) may fail again, which can be ignored.
      this.#upstream.once('response', resolve).on('error', reject)
    })
    // Do not read from the caller before the upstream is connected.
    this.#upstream.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => this.#send())
      else this.#send()
    })
  }

  /** Whether a retry is safe: nothing was sent, or the request is a read. */
  get mayRepeat(): boolean {
    return !this.isSent || this.#isQuestion
  }

  /** Whether it used a kept-alive connection. */
  get wasKept(): boolean {
    return this.#upstream.reusedSocket
  }

  get #isQuestion(): boolean {
    const { method = '', headers } = this.request
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    return !hasBody && ['GET', 'HEAD', 'OPTIONS'].includes(method)
  }

  end(): void {
    this.#upstream.destroy()
  }

  #send(): void {
    this.isSent = true
    // Not `pipeline`: a failure of the agent server must leave the caller's connection open for a response.
    this.request.pipe(this.#upstream)
  }
}

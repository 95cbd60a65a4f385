import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { AgentChild } from '../rollout/child'
import type { Target } from '../rollout/rollouts'
import { passedHeaders, requestHeaders } from './headers'

export type GatewayOptions = {
  target(deploymentId: string): Target
  isKey(given: string): boolean
}

const PATH = /^\/agents\/([^/?#]+)(\/[^?#]*)?(\?.*)?$/
const RETRY_AFTER_S = 1

type Refusal = { status: number; detail: string; isTemporary?: boolean }

/**
 * Gives each deployment its stable address: `/agents/{deployment_id}/...` goes to the agent server that serves now,
 * byte by byte as it comes. A child's open requests are counted from the moment it is chosen, so that a roll-out never
 * ends one that still answers.
 */
export function createGateway({ target, isKey }: GatewayOptions) {
  /** The agent server for a request, or why there is none. The key first: without it nothing is told. */
  const choose = (request: IncomingMessage, id: string): AgentChild | Refusal => {
    // A browser asks for permission without the key that it wants to send.
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    const key = request.headers['x-api-key']
    if (!isPreflight && !key) return { status: 401, detail: 'The header X-Api-Key is missing.' }
    if (!isPreflight && !isKey(String(key))) return { status: 403, detail: 'The API key is not valid.' }
    const found = target(id.toLowerCase())
    if (found.state === 'up') return found.child
    if (found.state === 'unknown') return { status: 404, detail: `Deployment ${id} not found.` }
    const detail = 'The agent server of this deployment is starting or down. Try again shortly.'
    return { status: 503, detail, isTemporary: true }
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const [, id = '', path = '/', query = ''] = PATH.exec(request.url ?? '') ?? []
    const chosen = choose(request, id)
    if ('detail' in chosen) refuse(request, response, chosen)
    else void forward(request, response, chosen, path + query, `/agents/${id}`)
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, detail, isTemporary }: Refusal): void {
  // A body that nobody reads would keep the connection busy.
  request.resume()
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(isTemporary && { 'retry-after': String(RETRY_AFTER_S) }),
  })
  response.end(JSON.stringify({ detail }))
}

/** Never rejects: whatever goes wrong ends in the response. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  child: AgentChild,
  path: string,
  prefix: string,
): Promise<void> {
  child.openRequests += 1
  let upstream: http.ClientRequest | undefined
  // The caller left: the agent server must hear of it at once, also before it answered.
  const onLeave = () => upstream?.destroy()
  response.once('close', onLeave)
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      upstream = http.request({
        host: '127.0.0.1',
        port: child.port,
        method: request.method,
        path,
        headers: requestHeaders(request.rawHeaders, child, prefix, request.headers['transfer-encoding'] !== undefined),
        // A connection of its own for each request: a kept one may be closed by the other side in the moment it is
        // used again, and on loopback a new one costs a tenth of a millisecond.
        agent: false,
      })
      // `on`, not `once`: what remains of an upload after an early answer (413) may fail again, and matters to nobody.
      upstream.once('response', resolve).on('error', reject)
      // Not `pipeline`: a failure of the agent server must leave the caller's connection open for an answer.
      request.pipe(upstream)
    })
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedHeaders(answer.rawHeaders))
    response.flushHeaders()
    await pipeline(answer, response)
  } catch {
    if (response.destroyed) return
    // Cut short, so that the caller sees that the answer is not whole.
    if (response.headersSent) response.destroy()
    else {
      const detail = 'The agent server of this deployment ended the connection.'
      refuse(request, response, { status: 503, detail, isTemporary: true })
    }
  } finally {
    response.off('close', onLeave)
    upstream?.destroy()
    child.openRequests -= 1
  }
}

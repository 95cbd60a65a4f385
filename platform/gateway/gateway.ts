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

/**
 * Gives each deployment its stable address: `/agents/{deployment_id}/...` goes to the agent server that serves now,
 * byte by byte as it comes. A child's open requests are counted from the moment it is chosen, so that a roll-out never
 * ends one that still answers.
 */
export function createGateway({ target, isKey }: GatewayOptions) {
  return function handle(request: IncomingMessage, response: ServerResponse): void {
    const [, id = '', path = '/', query = ''] = PATH.exec(request.url ?? '') ?? []
    const refuse = (status: number, detail: string, headers: Record<string, string> = {}) => {
      // A body that nobody reads would keep the connection busy.
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
      response.end(JSON.stringify({ detail }))
    }
    // A browser asks for permission without the key that it wants to send.
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    const key = request.headers['x-api-key']
    if (!isPreflight) {
      if (typeof key !== 'string' || key === '') return refuse(401, 'The header X-Api-Key is missing.')
      if (!isKey(key)) return refuse(403, 'The API key is not valid.')
    }
    const found = target(id.toLowerCase())
    if (found.state === 'unknown') return refuse(404, `Deployment ${id} not found.`)
    if (found.state === 'down')
      return refuse(503, 'The agent server of this deployment is starting or down. Try again shortly.', {
        'retry-after': String(RETRY_AFTER_S),
      })
    void forward(request, response, found.child, path + query, `/agents/${id}`, refuse)
  }
}

type Refuse = (status: number, detail: string, headers?: Record<string, string>) => void

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  child: AgentChild,
  path: string,
  prefix: string,
  refuse: Refuse,
): Promise<void> {
  child.openRequests += 1
  const isChunked = request.headers['transfer-encoding'] !== undefined
  // A connection of its own for each request: a kept one may be closed by the other side in the moment it is used
  // again, and on loopback a new one costs a tenth of a millisecond.
  const upstream = http.request({
    host: '127.0.0.1',
    port: child.port,
    method: request.method,
    path,
    headers: requestHeaders(request.rawHeaders, child, prefix, isChunked),
    agent: false,
  })
  // The caller left: the agent server must hear of it at once, also before it answered.
  const onLeave = () => upstream.destroy()
  response.once('close', onLeave)
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
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
    else refuse(503, 'The agent server of this deployment ended the connection.', { 'retry-after': String(RETRY_AFTER_S) })
  } finally {
    response.off('close', onLeave)
    upstream.destroy()
    child.openRequests -= 1
  }
}

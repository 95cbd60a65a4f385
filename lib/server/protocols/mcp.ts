import 'server-only'
import { agentServer, asRead } from '@/lib/contracts/agent-server'
import { MCP_LISTS, MCP_VERSION } from '@/lib/contracts/agents/mcp'
import type { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import { rpcResponse } from '@/lib/contracts/wire/exchange'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { converse } from '../upstream/call'
import type { CallOptions } from '../upstream/call-context'
import { exchangeRpc, SESSION, type Watch, type WireRequest } from './wire'

/** Most pages of a list that are read. */
const MAX_PAGES = 20
const rpc = (method: string, params?: JsonObject, id?: number) => ({
  jsonrpc: '2.0' as const,
  ...(id !== undefined && { id }),
  method,
  ...(params && { params }),
})

/** The JSON-RPC request. A progress token makes the server report the progress of a tool call. */
function requestFor(asked: ProtocolAsk & { protocol: 'mcp' }, id: number, cursor?: string) {
  switch (asked.ask) {
    case 'call':
      return rpc('tools/call', { name: asked.name, arguments: asked.arguments, _meta: { progressToken: id } }, id)
    case 'prompt':
      return rpc('prompts/get', { name: asked.name, arguments: asked.arguments }, id)
    case 'resource':
      return rpc('resources/read', { uri: asked.uri }, id)
    default:
      return rpc(MCP_LISTS[asked.ask], cursor === undefined ? {} : { cursor }, id)
  }
}

/**
 * Lists what a server offers, reads it or calls a tool, each in a session of its own. Nothing outlives the request, so
 * any instance can serve the next one.
 */
export function converseMcp(
  place: OperationPlace,
  asked: ProtocolAsk & { protocol: 'mcp' },
  options: CallOptions,
  tell: Watch,
): Promise<void> {
  const op = asked.ask === 'call' ? agentServer.sendMcp : asRead(agentServer.sendMcp)
  const body = requestFor(asked, 2)
  return converse(op, { ...place, body }, options, async (row, to, { path, body: first }, exchangeOptions) => {
    const wire = { op: row, to, path, options: exchangeOptions }
    const { session, headers } = await greet(wire, tell)
    try {
      let next: typeof body | undefined = first as typeof body // the operation's schema has parsed it
      for (let id = 2; next; id++) {
        const { messages } = await exchangeRpc({ ...wire, headers, body: next, until: id }, tell)
        const response = messages.map(rpcResponse).find((one) => one?.id === id || one?.id === null)
        if (!response) throw new AppError('upstream_shape', 'The agent server closed the stream without a response.')
        const cursor = 'result' in response && isRecord(response.result) ? response.result.nextCursor : undefined
        const hasMore = asked.ask in MCP_LISTS && typeof cursor === 'string' && cursor !== '' && id <= MAX_PAGES
        next = hasMore ? requestFor(asked, id + 1, cursor) : undefined
      }
    } finally {
      // A session that could not be closed is not a failure of the request.
      if (session) await exchangeRpc({ ...wire, headers, method: 'DELETE', timeoutMs: 5_000 }, tell).catch(() => {})
    }
    return { status: 200, value: undefined }
  })
}

/** Initializes a session and returns the headers for the requests that follow. */
async function greet(wire: WireRequest, tell: Watch) {
  const hello = { protocolVersion: MCP_VERSION, capabilities: {}, clientInfo: { name: 'pilothouse', version: '1' } }
  const greeted = await exchangeRpc({ ...wire, body: rpc('initialize', hello, 1), until: 1 }, tell)
  const response = greeted.messages.map(rpcResponse).find((one) => one !== undefined)
  if (!response) throw new AppError('upstream_shape', 'The agent server did not respond to MCP initialization.')
  if ('error' in response)
    throw new AppError('upstream_failed', `The agent server refused MCP initialization: ${response.error.message}`)
  const version = isRecord(response.result) && response.result.protocolVersion
  const session = greeted.headers.get(SESSION)
  const headers = {
    ...(typeof version === 'string' && /^[\w.-]{1,40}$/.test(version) && { 'mcp-protocol-version': version }),
    ...(session && { [SESSION]: session }),
  }
  await exchangeRpc({ ...wire, headers, body: rpc('notifications/initialized') }, tell)
  return { session, headers }
}

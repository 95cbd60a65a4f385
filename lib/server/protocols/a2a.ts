import 'server-only'
import { agentServer, asRead } from '@/lib/contracts/agent-server'
import { A2A_METHODS } from '@/lib/contracts/agents/a2a'
import type { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { converse } from '../upstream/call'
import type { CallOptions } from '../upstream/call-context'
import { exchangeRpc, type Watch } from './wire'

/** Sends one A2A request to an assistant. Streamed messages are reported event by event. */
export function converseA2a(
  place: OperationPlace,
  asked: ProtocolAsk & { protocol: 'a2a' },
  options: CallOptions,
  tell: Watch,
): Promise<void> {
  const { assistant, version, verb, params } = asked
  const op = verb === 'get' || verb === 'list' ? asRead(agentServer.sendA2a) : agentServer.sendA2a
  const body = { jsonrpc: '2.0' as const, id: 1, method: A2A_METHODS[version][verb], params }
  const input = { ...place, params: { assistant_id: assistant }, body }
  return converse(op, input, options, async (row, to, prepared, exchangeOptions) => {
    // Version 0.3 has no such header.
    const headers: Record<string, string> = version === '0.3' ? {} : { 'a2a-version': version }
    const wire = { op: row, to, path: prepared.path, options: exchangeOptions, headers, body: prepared.body }
    return { status: (await exchangeRpc(wire, tell)).status, value: undefined }
  })
}

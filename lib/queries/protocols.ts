import { queryOptions } from '@tanstack/react-query'
import type { McpList } from '@/lib/contracts/agents/mcp'
import type { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import type { WireEntry } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { printJson } from '@/lib/json/lossless'
import { openConsole, RelayError } from './relay-fetch'

/**
 * Sends a request over one of an agent server's protocols and reports the traffic as it happens. Failures become
 * entries; only an abort of `signal` is thrown, and it ends the exchange upstream too.
 */
export async function askProtocol(
  { workspace, deploymentId }: DeploymentPlace,
  ask: ProtocolAsk,
  onEntries: (entries: WireEntry[]) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const path = `/api/protocols/${encodeURIComponent(workspace)}/${encodeURIComponent(deploymentId)}`
    const headers = { 'content-type': 'application/json' }
    const { body } = await openConsole(path, { method: 'POST', headers, body: printJson(ask), signal })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    let last: WireEntry | undefined
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      const lines = (rest + part.value).split('\n')
      rest = lines.pop() ?? ''
      // An empty line only keeps the connection open.
      const entries = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as WireEntry)
      last = entries.at(-1) ?? last
      if (entries.length > 0) onEntries(entries)
    }
    if (last?.kind !== 'end' && last?.kind !== 'failed') onEntries([{ kind: 'failed', at: 0, error: LOST }])
  } catch (error) {
    signal.throwIfAborted()
    onEntries([{ kind: 'failed', at: 0, error: error instanceof RelayError ? error.view : LOST }])
  }
}

const LOST = {
  code: 'internal' as const,
  message:
    'The connection to the console was lost. The request may have been executed: check before you send it again.',
  fields: [],
  requestId: '',
}

/** The traffic of an MCP list request to a deployment. */
export const mcpListQuery = (place: DeploymentPlace, ask: McpList) =>
  queryOptions({
    queryKey: ['protocols', 'mcp', ask, place.workspace, place.deploymentId],
    queryFn: async ({ signal }) => {
      const all: WireEntry[] = []
      await askProtocol(place, { protocol: 'mcp', ask }, (entries) => all.push(...entries), signal)
      return all
    },
    staleTime: 60_000,
  })

import type { Hub } from '../runs/hub'
import type { RunRow } from '../runs/run-record'
import { PROTOCOL_EVENT, type ProtocolBody } from '../runs/wire/protocol-events'

export type AgentTree = { namespace: string[]; status: string; graph_name: string; children?: AgentTree[] }
type Lifecycle = { event: string; graph_name: string }

const STATUS: Record<string, string> = { pending: 'running', running: 'running', success: 'completed', error: 'failed' }

/** A run's graph and its subgraphs, from the stored events. */
export async function agentTree(run: RunRow, hub: Hub): Promise<AgentTree> {
  const root: AgentTree = { namespace: [], status: STATUS[run.status] ?? 'interrupted', graph_name: run.graph_id }
  const known = new Map([['', root]])
  for await (const page of hub.stored(run.run_id, -1))
    for (const { event, data } of page) {
      if (event !== PROTOCOL_EVENT) continue
      const { method, params } = JSON.parse(data) as ProtocolBody
      if (method !== 'lifecycle') continue
      const { event: status, graph_name } = params.data as Lifecycle
      const { namespace } = params
      const key = namespace.join('|')
      const found = known.get(key)
      if (found) {
        found.status = status
        continue
      }
      const tree = { namespace, status, graph_name }
      known.set(key, tree)
      const parent = known.get(namespace.slice(0, -1).join('|')) ?? root
      parent.children = [...(parent.children ?? []), tree]
    }
  return root
}

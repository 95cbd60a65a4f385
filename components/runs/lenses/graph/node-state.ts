import type { Lane, Step, Steps } from '@/lib/stream/steps'

export type NodeState = {
  /** Undefined if the node has not run. */
  status: Step['status'] | undefined
  times: number
  /** The innermost nodes that are running inside it. */
  inside: string[]
  /** The log entry of its most recent step. */
  seq: number
}

/** The state of each node of the root graph, including what runs inside its subgraph. */
export function nodeStates(steps: Steps): Map<string, NodeState> {
  const states = new Map<string, NodeState>()
  for (const lane of steps.lanes.values()) {
    const id = lane.namespace[0]?.node ?? lane.node
    const state = states.get(id) ?? { status: undefined, times: 0, inside: [], seq: 0 }
    states.set(id, state)
    if (lane.namespace.length === 0) addOwn(state, lane)
    else {
      state.status ??= lane.steps.at(-1)?.status
      state.seq ||= lane.steps.at(-1)?.startedSeq ?? 0
      if (lane.running.length > 0) {
        state.status = 'running'
        state.inside.push(lane.node)
      }
    }
  }
  return states
}

function addOwn(state: NodeState, lane: Lane): void {
  const last = lane.steps.at(-1)
  if (!last) return
  const failed = lane.steps.some(({ status, attempt }) => status === 'error' && attempt === last.attempt)
  state.times = lane.steps.length
  state.seq = last.startedSeq
  state.status = lane.running.length > 0 || state.status === 'running' ? 'running' : failed ? 'error' : last.status
}

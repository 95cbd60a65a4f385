import type { Step, Steps, Track } from '@/lib/stream/steps'

export type NodeState = {
  /** Undefined if the node has not run. */
  status: Step['status'] | undefined
  times: number
  /** The innermost nodes that are running inside it. */
  inside: string[]
  /** The log entry of its most recent step. */
  seq: number
}

/** The state of each node of the root graph, including what runs inside its subgraph; `until` a log entry, if given. */
export function nodeStates(steps: Steps, until?: number): Map<string, NodeState> {
  const states = new Map<string, NodeState>()
  for (const whole of steps.tracks.values()) {
    const track = until === undefined ? whole : trackAt(whole, until)
    if (track.steps.length === 0) continue
    const id = track.namespace[0]?.node ?? track.node
    const state = states.get(id) ?? { status: undefined, times: 0, inside: [], seq: 0 }
    states.set(id, state)
    if (track.namespace.length === 0) addOwn(state, track)
    else {
      state.status ??= track.steps.at(-1)?.status
      state.seq ||= track.steps.at(-1)?.startedSeq ?? 0
      if (track.running.length > 0) {
        state.status = 'running'
        state.inside.push(track.node)
      }
    }
  }
  return states
}

/** The steps that had begun at a log entry, with the status that they had then. */
function trackAt(track: Track, seq: number): Track {
  const steps = track.steps
    .filter(({ startedSeq }) => startedSeq <= seq)
    .map((step): Step => {
      const hasEnded = step.endedSeq !== undefined && step.endedSeq <= seq
      return hasEnded ? step : { ...step, status: 'running', endedAt: undefined, endedSeq: undefined }
    })
  return { ...track, steps, running: steps.filter(({ status }) => status === 'running') }
}

function addOwn(state: NodeState, track: Track): void {
  const last = track.steps.at(-1)
  if (!last) return
  const failed = track.steps.some(({ status, attempt }) => status === 'error' && attempt === last.attempt)
  state.times = track.steps.length
  state.seq = last.startedSeq
  state.status = track.running.length > 0 || state.status === 'running' ? 'running' : failed ? 'error' : last.status
}

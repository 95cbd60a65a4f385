import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { ThreadState, ThreadTask } from '@/lib/contracts/agents/threads'
import { errorText } from '@/lib/stream/modes'
import type { PastCheckpoint } from '@/lib/stream/past-steps'
import { systemActor } from '../../access/actor'
import { call } from '../../upstream/call'
import type { RunPlace } from './run-source'

// Servers return each checkpoint with all its values, so that a page must be small and a long history is not read whole.
const PAGE = 20
const MOST = 400
const DEADLINE_MS = 4_000

const actor = systemActor('recorder')

/**
 * The checkpoints that a run wrote, newest first, and the one before them. Empty if the history names none of this run;
 * undefined if it could not be read as far as needed to know that.
 */
export async function readPastCheckpoints(
  { workspace, deploymentId, thread, run }: RunPlace,
  signal: AbortSignal,
): Promise<PastCheckpoint[] | undefined> {
  if (!thread || !run) return undefined
  const at = { workspace, deploymentId, params: { thread_id: thread } }
  const options = { actor, signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]) }
  const found = new Map<string, PastCheckpoint>()
  let isRead = false
  try {
    let before: string | undefined
    for (let read = 0; read < MOST && !isRead; read += PAGE) {
      const body = { limit: PAGE, metadata: { run_id: run }, ...(before && { before }) }
      const states = await call(agentServer.searchThreadHistory, { ...at, body }, options)
      // A server that ignores the filter returns those of other runs too.
      for (const state of states) add(found, state, run)
      before = states.at(-1)?.checkpoint?.checkpoint_id ?? undefined
      isRead = states.length < PAGE || !before
    }
    const own = [...found.values()].filter(({ isOwn }) => isOwn)
    const first = own.find(({ parent }) => parent !== null && !found.has(parent))
    if (isRead && first?.parent && first.source === 'loop')
      add(
        found,
        await call(
          agentServer.getThreadStateAt,
          { ...at, params: { thread_id: thread, checkpoint_id: first.parent } },
          options,
        ),
        run,
      )
  } catch {
    // What is missing shows in what was read.
    isRead = false
  }
  const read = [...found.values()]
  return isRead || read.some(({ isOwn }) => isOwn) ? read : undefined
}

function add(found: Map<string, PastCheckpoint>, state: ThreadState, run: string): void {
  const { checkpoint, parent_checkpoint, metadata, created_at, tasks } = state
  const id = checkpoint?.checkpoint_id
  if (!id || found.has(id)) return
  const time = Date.parse(created_at ?? '')
  found.set(id, {
    id,
    parent: parent_checkpoint?.checkpoint_id ?? null,
    isOwn: metadata?.run_id === run,
    source: typeof metadata?.source === 'string' ? metadata.source : null,
    step: typeof metadata?.step === 'number' ? metadata.step : null,
    at: Number.isNaN(time) ? null : time,
    tasks: tasks.map(taskOf),
  })
}

function taskOf({ id, name, error, interrupts, result }: ThreadTask): PastCheckpoint['tasks'][number] {
  if (error !== undefined && error !== null) return { id, name, ended: 'error', error: errorText(error) }
  if (interrupts.length > 0) return { id, name, ended: 'asked' }
  return { id, name, ...(result !== undefined && result !== null && { ended: 'done' }) }
}

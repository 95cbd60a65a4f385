import 'server-only'
import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import type { HistoryPage, HistoryRow, HistoryTask } from '@/lib/contracts/agents/thread-edit'
import type { ThreadState, ThreadTask } from '@/lib/contracts/agents/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { parseInput } from '../../process/result'
import { serveRead } from '../../relay/serve-read'
import { call } from '../../upstream/call'
import type { CallOptions } from '../../upstream/call-context'

// Servers return each checkpoint with all its values. The rows of the timeline are computed here, so that the browser
// does not load megabytes for a list.

const MAX_PAGE = 50

const Query = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(20),
  before: z.string().min(1).max(300).optional(),
  /** A subgraph's namespace. */
  ns: z.string().max(2_000).optional(),
})

/** A page of a thread's checkpoints, newest first, without their values. Throws AppError like `call`. */
export async function readHistory(place: ThreadPlace, query: unknown, options: CallOptions = {}): Promise<HistoryPage> {
  const { limit, before, ns } = parseInput(Query, query)
  const { workspace, deploymentId, thread } = place
  const states = await call(
    agentServer.searchThreadHistory,
    {
      workspace,
      deploymentId,
      params: { thread_id: thread },
      // One extra: the nodes that wrote a checkpoint are known from its parent.
      body: { limit: limit + 1, ...(before && { before }), ...(ns && { checkpoint: { checkpoint_ns: ns } }) },
    },
    options,
  )
  const byId = new Map(states.map((state) => [state.checkpoint?.checkpoint_id, state]))
  const shown = states.slice(0, limit)
  return {
    rows: shown.map((state) => rowOf(state, byId.get(state.parent_checkpoint?.checkpoint_id))),
    last: states.length > limit ? (shown.at(-1)?.checkpoint?.checkpoint_id ?? null) : null,
  }
}

function rowOf(state: ThreadState, parent: ThreadState | undefined): HistoryRow {
  const { checkpoint, metadata } = state
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    id: checkpoint?.checkpoint_id ?? '',
    ns: checkpoint?.checkpoint_ns ?? '',
    ...(isRecord(checkpoint?.checkpoint_map) && { map: checkpoint.checkpoint_map }),
    parent: state.parent_checkpoint?.checkpoint_id ?? null,
    source: text(metadata?.source),
    step: typeof metadata?.step === 'number' ? metadata.step : null,
    by: writersOf(metadata?.writes, metadata?.source, parent),
    next: state.next,
    tasks: state.tasks.map(taskOf),
    bytes: Buffer.byteLength(printJson(state.values)),
    at: state.created_at ?? null,
    run: text(metadata?.run_id),
  }
}

/** The nodes that wrote a checkpoint. Older servers name them; for a step of the graph they are the parent's next nodes. */
function writersOf(writes: unknown, source: unknown, parent: ThreadState | undefined): string[] {
  if (isRecord(writes)) return Object.keys(writes)
  return source === 'loop' && parent ? [...new Set(parent.next)] : []
}

const taskOf = ({ id, name, error, interrupts, checkpoint }: ThreadTask): HistoryTask => ({
  id,
  name,
  error: error === undefined || error === null ? null : typeof error === 'string' ? error : printJson(error),
  interrupts: interrupts.length,
  ns: checkpoint?.checkpoint_ns || null,
})

/** Serves `GET /api/history/{workspace}/{deployment}/{thread}`. */
export const serveHistory = (request: Request, place: ThreadPlace): Promise<Response> =>
  serveRead(request, (query, options) => readHistory(place, query, options))

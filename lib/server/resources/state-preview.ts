import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { CheckpointPlace } from '@/lib/contracts/agents/thread-edit'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import type { Actor } from '../access/actor'
import { log } from '../process/log'
import { call } from '../upstream/call'

const MAX_LENGTH = 4_000_000

export type PreviewInput = { place: ThreadPlace; base: CheckpointPlace; values: JsonObject; asNode?: string }

/**
 * The written keys as they would be after the write, as JSON text. The server's reducers compute them on a copy of the thread,
 * which is deleted again. Throws AppError.
 */
export async function previewState({ place, base, values, asNode }: PreviewInput, actor: Actor): Promise<string> {
  const { workspace, deploymentId, thread } = place
  if (base.ns !== '') throw new AppError('unsupported', 'The state of a subgraph cannot be computed on a copy.')
  const at = { workspace, deploymentId }
  const { thread_id } = await call(agentServer.copyThread, { ...at, params: { thread_id: thread } }, { actor })
  const copy = { ...at, params: { thread_id } }
  try {
    const checkpoint = { thread_id, checkpoint_ns: '', checkpoint_id: base.id }
    const body = { values, ...(asNode && { as_node: asNode }), ...(base.id && { checkpoint }) }
    await call(agentServer.updateThreadState, { ...copy, body }, { actor })
    const state = await call(agentServer.getThreadState, copy, { actor })
    const after = state.values
    const written = Object.entries(after ?? {}).filter(([name]) => Object.hasOwn(values, name))
    const text = printJson(Object.fromEntries(written))
    if (text.length > MAX_LENGTH) throw new AppError('too_large', 'The result is too large to be shown here.')
    return text
  } finally {
    await call(agentServer.deleteThread, copy, { actor }).catch((error: unknown) =>
      log.warn('state_preview.copy_left', { thread: thread_id, error }),
    )
  }
}

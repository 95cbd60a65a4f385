import 'server-only'
import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import type { ThreadState } from '@/lib/contracts/agents/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { readMessage } from '@/lib/stream/wire/wire-message'
import { parseInput } from '../../process/result'
import { serveRead } from '../../relay/serve-read'
import { call } from '../../upstream/call'
import type { CallOptions } from '../../upstream/call-context'

const Query = z.strictObject({ message: z.string().min(1).max(300) })
const PAGE = 20
/** Further back than this a message cannot be edited, because each checkpoint is read with its values. */
const MOST_READ = 400

/** The checkpoint before a message was added, on the thread's current branch; null if the thread began with it. */
export async function forkPoint(
  { workspace, deploymentId, thread }: ThreadPlace,
  message: string,
  options: CallOptions = {},
): Promise<{ checkpoint: string | null }> {
  const known = new Map<string, ThreadState>()
  let newest: ThreadState | undefined
  let oldest: string | undefined
  let isWhole = false
  async function readMore(): Promise<void> {
    const body = { limit: PAGE, ...(oldest && { before: oldest }) }
    const input = { workspace, deploymentId, params: { thread_id: thread }, body }
    const states = await call(agentServer.searchThreadHistory, input, options)
    for (const state of states) known.set(idOf(state) ?? '', state)
    newest ??= states[0]
    oldest = idOf(states.at(-1))
    isWhole = states.length < PAGE
  }
  async function find(id: string | null | undefined): Promise<ThreadState | undefined> {
    while (id && !known.has(id) && !isWhole && known.size < MOST_READ) await readMore()
    if (id && !known.has(id) && !isWhole)
      throw new AppError('invalid', `The message is more than ${MOST_READ} checkpoints ago. Fork from the history.`)
    return id ? known.get(id) : undefined
  }
  await readMore()
  let state = newest
  if (!state || !holds(state, message)) throw new AppError('not_found', 'The thread no longer has this message.')
  while (state && holds(state, message)) state = await find(state.parent_checkpoint?.checkpoint_id)
  // The checkpoint of an input still waits to run it; the one before is at rest.
  if (state?.metadata?.source === 'input') state = (await find(state.parent_checkpoint?.checkpoint_id)) ?? state
  return { checkpoint: idOf(state) ?? null }
}

const idOf = (state: ThreadState | undefined) => state?.checkpoint?.checkpoint_id ?? undefined

const holds = ({ values }: ThreadState, message: string): boolean =>
  isRecord(values) && Array.isArray(values.messages) && values.messages.some((one) => readMessage(one)?.id === message)

/** Serves `GET /api/forks/{workspace}/{deployment}/{thread}?message={id}`. */
export const serveForkPoint = (request: Request, place: ThreadPlace): Promise<Response> =>
  serveRead(request, (query, options) => forkPoint(place, parseInput(Query, query).message, options))

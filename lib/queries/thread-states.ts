import { queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { ThreadState } from '@/lib/contracts/agents/threads'
import type { AnyInput } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import type { LargeJson } from '@/lib/json/large-json'
import { parseJson } from '@/lib/json/lossless'
import { type ApiQueryKey, apiQuery, type QueryInput } from './api-query'
import type { RelayError } from './relay-fetch'
import { relayFetchLarge } from './relay-large'

/** A checkpoint with parsed values, or with a document in the worker if they are large. */
export type LoadedState = ThreadState & { large?: LargeJson }

type StateOp = typeof agentServer.getThreadState | typeof agentServer.getThreadStateAtCheckpoint

/**
 * A state of any size. The worker's document is released with the query (query-client.ts), so it is not cached for
 * long.
 */
function stateQuery<Op extends StateOp>(op: Op, input: QueryInput<Op>) {
  const { queryKey } = apiQuery(op, input)
  return queryOptions<LoadedState, RelayError, LoadedState, ApiQueryKey>({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<LoadedState>(queryKey)?.large
      const found = await relayFetchLarge(
        op,
        input as OperationPlace & AnyInput,
        { under: 'values', from: before },
        signal,
      )
      // The relay has parsed the response with the operation's schema; only the type is lost.
      if ('value' in found) {
        if (before) setTimeout(() => before.release())
        return found.value as LoadedState
      }
      const { large } = found
      // The current state stays visible until the next one is complete, because only then can the same parts be
      // expanded.
      const head = await (before ? large.whole : large.head).catch((error: unknown) => {
        large.release()
        throw error
      })
      if (before) setTimeout(() => before.release())
      else
        void large.whole.then((whole) => {
          if (whole === head) return
          client.setQueryData<LoadedState>(queryKey, (now) => (now?.large === large ? stateOf(whole, large) : now))
        })
      return stateOf(head, large)
    },
    gcTime: 30_000,
    structuralSharing: false,
  })
}

const stateOf = (head: string, large: LargeJson): LoadedState => ({
  ...{ next: [], tasks: [], interrupts: [] },
  ...(parseJson(head) as Partial<ThreadState>), // the relay's response without its values
  large,
})

export const threadStateQuery = (workspace: string, deploymentId: string, threadId: string) =>
  stateQuery(agentServer.getThreadState, { workspace, deploymentId, params: { thread_id: threadId } })

type Checkpoint = { id: string; ns: string; map?: Record<string, unknown> }

/** The state at a checkpoint. It never changes, so it is fetched once. */
export const stateAtQuery = (
  workspace: string,
  deploymentId: string,
  threadId: string,
  { id, ns, map }: Checkpoint,
) => ({
  ...stateQuery(agentServer.getThreadStateAtCheckpoint, {
    workspace,
    deploymentId,
    params: { thread_id: threadId },
    body: {
      checkpoint: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id, ...(map && { checkpoint_map: map }) },
    },
  }),
  staleTime: Number.POSITIVE_INFINITY,
})

import { queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import { operationKey } from '@/lib/queries/api-query'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import type { WaitingDetail } from '@/lib/stream/inbox'

/** The open questions of one thread. The key starts like the thread state's, so that both are invalidated together. */
export const waitingQuery = (workspace: string, deploymentId: string, thread: string) =>
  queryOptions<WaitingDetail, RelayError>({
    queryKey: [...operationKey(agentServer.getThreadState, workspace), deploymentId, thread, 'waiting'],
    queryFn: async ({ signal }) => {
      const place = [workspace, deploymentId, thread].map(encodeURIComponent).join('/')
      // From our own server; `consoleFetch` is untyped.
      return (await consoleFetch(`/api/inbox/${place}`, { signal })) as WaitingDetail
    },
    staleTime: 0,
  })

import { queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import { operationKey } from '@/lib/queries/api-query'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import type { WaitingDetail } from '@/lib/stream/inbox'

/** What one thread waits for, as one reading of the console's server. Its key begins as that of the thread's state. */
export const waitingQuery = (workspace: string, deployment: string, thread: string) =>
  queryOptions<WaitingDetail, RelayError>({
    queryKey: [...operationKey(agentServer.getThreadState, workspace), deployment, thread, 'waiting'],
    queryFn: async ({ signal }) => {
      const place = [workspace, deployment, thread].map(encodeURIComponent).join('/')
      // Made by the same server; only its type is lost on the way.
      return (await consoleFetch(`/api/inbox/${place}`, { signal })) as WaitingDetail
    },
    staleTime: 0,
  })

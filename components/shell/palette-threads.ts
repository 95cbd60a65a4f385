import { queryOptions, useQuery } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import { operationKey } from '@/lib/queries/api-query'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import type { WorkspaceThreads } from '@/lib/stream/thread-rows'
import { matches } from './verbs'

const MIN_LENGTH = 2
const MOST_READ = 100
const MOST_SHOWN = 5

/** The newest threads, read once for all that is typed: a search would make the server read all messages for each letter. */
export const newestThreadsQuery = (workspace: string) =>
  queryOptions<WorkspaceThreads, RelayError>({
    queryKey: [...operationKey(agentServer.searchThreads, workspace), 'newest'],
    queryFn: async ({ signal }) => {
      const address = `/api/threads/${encodeURIComponent(workspace)}?limit=${MOST_READ}`
      // From our own server; `consoleFetch` is untyped.
      return (await consoleFetch(address, { signal })) as WorkspaceThreads
    },
    staleTime: 15_000,
    retry: false,
  })

/** Those of the newest threads whose title has the words. */
export function useFoundThreads(workspace: string, search: string): WorkspaceThreads['rows'] {
  const { data } = useQuery({ ...newestThreadsQuery(workspace), enabled: search.length >= MIN_LENGTH })
  if (search.length < MIN_LENGTH || !data) return []
  return data.rows.filter(({ title }) => matches(title, search)).slice(0, MOST_SHOWN)
}

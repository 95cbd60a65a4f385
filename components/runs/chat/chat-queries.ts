import { queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace, ThreadPlace } from '@/lib/contracts/wire/places'
import { apiQuery, operationKey } from '@/lib/queries/api-query'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import { LIGHT_COLUMNS, threadsQuery } from '@/lib/queries/threads'
import type { RecordingSummary } from '@/lib/stream/log'
import { THREAD_EXTRACT } from '@/lib/stream/thread-rows'

/** The newest recorded runs of a thread, newest first. Its key begins like that of the thread's runs. */
export const threadRecordingsQuery = ({ workspace, deploymentId, thread }: ThreadPlace) =>
  queryOptions<RecordingSummary[], RelayError>({
    queryKey: [...operationKey(agentServer.listRuns, workspace), 'recordings', deploymentId, thread],
    queryFn: async ({ signal }) => {
      const place = [workspace, deploymentId, thread].map(encodeURIComponent).join('/')
      // Our own server wrote the response; only the type is lost.
      return (await consoleFetch(`/api/recordings/${place}`, { signal })) as RecordingSummary[]
    },
  })

/** How many of the newest threads are listed, and how many of those that need input before them. */
export const RAIL_THREADS = 30

/** The newest threads. `isPlain` for servers that cannot extract parts of the values. */
export const railQuery = ({ workspace, deploymentId }: DeploymentPlace, isPlain: boolean) =>
  threadsQuery(workspace, deploymentId, railBody(isPlain))

const railBody = (isPlain: boolean) => ({
  ...({ limit: RAIL_THREADS, sort_by: 'updated_at', sort_order: 'desc' } as const),
  select: LIGHT_COLUMNS,
  ...(!isPlain && { extract: THREAD_EXTRACT }),
})

export const pressingQuery = ({ workspace, deploymentId }: DeploymentPlace, isPlain: boolean) =>
  threadsQuery(workspace, deploymentId, { ...railBody(isPlain), status: 'interrupted' })

export const pressingCountQuery = ({ workspace, deploymentId }: DeploymentPlace) => ({
  ...apiQuery(agentServer.countThreads, { workspace, deploymentId, body: { status: 'interrupted' } }),
  retry: false,
})

/** What gives a thread without messages its title. It is read again with all lists of threads. */
export const threadTitleQuery = ({ workspace, deploymentId, thread }: ThreadPlace) =>
  threadsQuery(workspace, deploymentId, {
    ids: [thread],
    limit: 1,
    select: LIGHT_COLUMNS,
    extract: { first: THREAD_EXTRACT.first },
  })

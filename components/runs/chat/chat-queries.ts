import { queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace, ThreadPlace } from '@/lib/contracts/wire/places'
import { operationKey } from '@/lib/queries/api-query'
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

/** The newest threads. `isPlain` for servers that cannot extract parts of the values. */
export const railQuery = ({ workspace, deploymentId }: DeploymentPlace, isPlain: boolean) =>
  threadsQuery(workspace, deploymentId, {
    limit: 30,
    sort_by: 'updated_at',
    sort_order: 'desc',
    select: LIGHT_COLUMNS,
    ...(!isPlain && { extract: THREAD_EXTRACT }),
  })

/** What gives a thread without messages its title. It is read again with all lists of threads. */
export const threadTitleQuery = ({ workspace, deploymentId, thread }: ThreadPlace) =>
  threadsQuery(workspace, deploymentId, {
    ids: [thread],
    limit: 1,
    select: LIGHT_COLUMNS,
    extract: { first: THREAD_EXTRACT.first },
  })

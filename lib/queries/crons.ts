import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Cron } from '@/lib/contracts/agents/crons'
import { isRowActive, type RunRow } from '@/lib/contracts/agents/run-row'
import { buildQuery, type InputOf } from '@/lib/contracts/wire/api'
import { apiQuery, operationKey } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type Search = NonNullable<InputOf<typeof agentServer.searchCrons>['body']>

/** A page of crons. The previous page stays visible while the next one loads. */
export const cronsQuery = (workspace: string, deploymentId: string, body: Search = {}) => ({
  ...apiQuery(agentServer.searchCrons, { workspace, deploymentId, body }),
  placeholderData: keepPreviousData,
})

/** Whether the server has crons at all. */
export const anyCronQuery = (workspace: string, deploymentId: string) =>
  cronsQuery(workspace, deploymentId, { limit: 1 })

export const cronQuery = (workspace: string, deploymentId: string, cron: string) =>
  apiQuery(agentServer.getCron, { workspace, deploymentId, params: { cron_id: cron } })

/** The last run of each cron by its id: null if it has none, missing if it could not be read. */
export type LastCronRuns = Record<string, RunRow | null>

const EVERY_MS = 30_000
/** While one of the runs is not over. */
const ACTIVE_MS = 5_000

export const lastCronRunsQuery = (workspace: string, deployment: string, crons: readonly Cron[]) => {
  const query = {
    deployment,
    crons: crons.map(({ cron_id, thread_id }) => (thread_id ? `${cron_id}/${thread_id}` : cron_id)).join(','),
  }
  return queryOptions<LastCronRuns, RelayError>({
    // It begins like the runs of a thread, so that what starts a run refreshes it.
    queryKey: [...operationKey(agentServer.listRuns, workspace), 'of-crons', query],
    queryFn: async ({ signal }) =>
      // From our own server; `consoleFetch` is untyped.
      (await consoleFetch(`/api/runs/${encodeURIComponent(workspace)}/of-crons?${buildQuery(query)}`, {
        signal,
      })) as LastCronRuns,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      Object.values(state.data ?? {}).some((run) => run && isRowActive(run)) ? ACTIVE_MS : EVERY_MS,
  })
}

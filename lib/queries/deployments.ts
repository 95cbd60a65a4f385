import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { FleetActivity } from '@/lib/contracts/activity'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentRowsPage, HealthGroup, RowSort } from '@/lib/contracts/deployments/deployment-row'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { everyListener } from '@/lib/contracts/deployments/listener-row'
import type { Listener, ListenersList } from '@/lib/contracts/deployments/listeners'
import { buildQuery, type InputOf } from '@/lib/contracts/wire/api'
import { apiQuery, LIVE_MS, operationKey } from './api-query'
import { consoleFetch, type RelayError, relayFetch } from './relay-fetch'

type ListQuery = InputOf<typeof controlPlane.listDeployments>['query']

/** A page of deployments. The previous page stays visible while the next one loads. */
export const deploymentsQuery = (workspace: string, query: ListQuery = {}) => ({
  ...apiQuery(controlPlane.listDeployments, { workspace, query }),
  placeholderData: keepPreviousData,
})

/** The control plane's query, a kind of health, an order, and the ids of neighbouring rows that anchor the page. */
export type RowsQuery = NonNullable<ListQuery> & {
  health?: HealthGroup
  sort?: RowSort
  after?: string
  before?: string
}

/**
 * A page of deployments joined with their revisions, in one request. Its key begins like that of `listDeployments`, so
 * that invalidating lists includes it.
 */
export const deploymentRowsQuery = (workspace: string, query: RowsQuery) =>
  queryOptions<DeploymentRowsPage, RelayError>({
    queryKey: [...operationKey(controlPlane.listDeployments, workspace), 'rows', query],
    queryFn: async ({ signal }) =>
      // Our own server wrote the response; only the type is lost.
      (await consoleFetch(`/api/deployments/${encodeURIComponent(workspace)}?${buildQuery(query)}`, {
        signal,
      })) as DeploymentRowsPage,
    placeholderData: keepPreviousData,
  })

export const deploymentQuery = (workspace: string, deploymentId: string) =>
  apiQuery(controlPlane.getDeployment, { workspace, params: { deployment_id: deploymentId } })

/** The query for the newest revisions on the overview. */
export const OVERVIEW_REVISIONS = { limit: 5 }

/** GitHub integrations, which provide the repositories. */
export const integrationsQuery = (workspace: string) => apiQuery(controlPlane.listGithubIntegrations, { workspace })

export const repositoriesQuery = (workspace: string, integration: string) =>
  apiQuery(controlPlane.listGithubRepositories, { workspace, params: { integration_id: integration } })

/** What a repository says about itself before it is deployed. */
export const inspectionQuery = (
  workspace: string,
  integration: string,
  query: InputOf<typeof controlPlane.inspectRepository>['query'],
) => apiQuery(controlPlane.inspectRepository, { workspace, params: { integration_id: integration }, query })

/** The branches and tags of a repository. */
export const refsQuery = (workspace: string, integration: string, url: string) =>
  apiQuery(controlPlane.listRepositoryRefs, {
    workspace,
    params: { integration_id: integration },
    query: { repo_url: url },
  })

/** All listeners, which deploy the images. Its key begins like that of `listListeners`. */
export const listenersQuery = (workspace: string) =>
  queryOptions<Listener[], RelayError>({
    queryKey: [...operationKey(controlPlane.listListeners, workspace), 'all'],
    queryFn: ({ signal }) =>
      everyListener(
        // The relay has parsed the response; only the type is lost.
        (query) => relayFetch(controlPlane.listListeners, { workspace, query }, signal) as Promise<ListenersList>,
      ),
  })

/**
 * The display name of a deployment's listener. Who cannot list the listeners has it from the deployment, where its
 * control plane says it, or sees the ID.
 */
export function useListenerName(
  workspace: string,
  { source_config: config, listener }: Pick<Deployment, 'source_config' | 'listener'>,
): string | undefined {
  const id = config?.listener_id
  const { data } = useQuery({ ...listenersQuery(workspace), enabled: Boolean(id) && !listener })
  if (!id) return undefined
  return listener?.name ?? data?.find((one) => one.id === id)?.compute_id ?? id
}

const REFRESH_MS = 30_000

/** Runs, last run and last change of these deployments. Of a single one they stand above its charts, and are as new. */
export const activityQuery = (workspace: string, ids: readonly string[]) => {
  const refreshMs = ids.length === 1 ? LIVE_MS : REFRESH_MS
  return queryOptions<FleetActivity, RelayError>({
    queryKey: ['activity', workspace, ids],
    queryFn: async ({ signal }) =>
      // Our own server wrote the response; only the type is lost.
      (await consoleFetch(`/api/activity/${encodeURIComponent(workspace)}?${buildQuery({ ids: ids.join(',') })}`, {
        signal,
      })) as FleetActivity,
    enabled: ids.length > 0,
    refetchInterval: refreshMs,
    staleTime: refreshMs,
    placeholderData: keepPreviousData,
  })
}

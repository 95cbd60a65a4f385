import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentRowsPage } from '@/lib/contracts/deployments/deployment-row'
import { buildQuery, type InputOf } from '@/lib/contracts/wire/api'
import { apiQuery, operationKey } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type ListQuery = InputOf<typeof controlPlane.listDeployments>['query']

/** A page of deployments; the last page stays on screen while the next loads. */
export const deploymentsQuery = (workspace: string, query: ListQuery = {}) => ({
  ...apiQuery(controlPlane.listDeployments, { workspace, query }),
  placeholderData: keepPreviousData,
})

/** The control plane's query, and the neighbouring rows (ids, separated by commas) that a page is anchored to. */
export type RowsQuery = NonNullable<ListQuery> & { after?: string; before?: string }

/**
 * A page of deployments joined with their revisions, as one reading of the console's server. Its key begins as that of
 * `listDeployments`, so that what makes lists stale makes this one stale too.
 */
export const deploymentRowsQuery = (workspace: string, query: RowsQuery) =>
  queryOptions<DeploymentRowsPage, RelayError>({
    queryKey: [...operationKey(controlPlane.listDeployments, workspace), 'rows', query],
    queryFn: async ({ signal }) =>
      // Made by the same server; only its type is lost on the way.
      (await consoleFetch(`/api/deployments/${encodeURIComponent(workspace)}?${buildQuery(query)}`, {
        signal,
      })) as DeploymentRowsPage,
    placeholderData: keepPreviousData,
  })

export const deploymentQuery = (workspace: string, deploymentId: string) =>
  apiQuery(controlPlane.getDeployment, { workspace, params: { deployment_id: deploymentId } })

import { keepPreviousData } from '@tanstack/react-query'
import type { InputOf } from '@/lib/contracts/api'
import { controlPlane } from '@/lib/contracts/control-plane'
import { apiQuery } from './api-query'

type ListQuery = InputOf<typeof controlPlane.listDeployments>['query']

/** A page of deployments; the last page stays on screen while the next loads. */
export const deploymentsQuery = (workspace: string, query: ListQuery = {}) => ({
  ...apiQuery(controlPlane.listDeployments, { workspace, query }),
  placeholderData: keepPreviousData,
})

export const deploymentQuery = (workspace: string, deploymentId: string) =>
  apiQuery(controlPlane.getDeployment, { workspace, params: { deployment_id: deploymentId } })

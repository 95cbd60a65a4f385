import { controlPlane } from '@/lib/contracts/control-plane'
import { apiQuery } from './api-query'

/** GitHub integrations, which provide the repositories. */
export const integrationsQuery = (workspace: string) => apiQuery(controlPlane.listGithubIntegrations, { workspace })

export const repositoriesQuery = (workspace: string, integration: string) =>
  apiQuery(controlPlane.listGithubRepositories, { workspace, params: { integration_id: integration } })

/** Listeners, which deploy the images. */
export const listenersQuery = (workspace: string) =>
  apiQuery(controlPlane.listListeners, { workspace, query: { limit: 100 } })

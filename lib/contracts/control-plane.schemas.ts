import { z } from 'zod'
import {
  DeleteDeploymentQuery,
  DeleteDeploymentsQuery,
  Deployment,
  DeploymentCreate,
  DeploymentPatch,
  DeploymentsList,
  DeploymentTierPatch,
  FreeCount,
  ListDeploymentsQuery,
  ResourceTiersPatch,
  UploadPlace,
} from './deployments/deployments'
import {
  GithubIntegration,
  GithubRepository,
  InspectRepositoryQuery,
  InstallationLink,
  InstallationRepositoriesPage,
  InstallationsPage,
  ListInstallationsQuery,
  ListRefsQuery,
  RepositoryInspection,
  RepositoryRefs,
} from './deployments/integrations'
import {
  Listener,
  ListenerCreate,
  ListenerCreated,
  ListenerPatch,
  ListenersList,
  ListenerToken,
  ListListenersQuery,
} from './deployments/listeners'
import { ListRevisionLogsQuery, LogsPage, LogsSearchPage, SearchDeploymentLogsQuery } from './deployments/logs'
import { PlatformRetention, RetentionPatch } from './deployments/retention'
import { ListRevisionsQuery, Revision, RevisionCreate, RevisionsList } from './deployments/revisions'
import type { RowSchemas } from './wire/api'

/** An undocumented response may be a whole deployment with its secrets, so it is dropped. */
const Undocumented = z.unknown().transform(() => null)

/** The schemas of the control plane's operations; keys match the rows in `control-plane.ts`. */
export const controlPlaneSchemas = {
  listDeployments: { query: ListDeploymentsQuery, response: DeploymentsList },
  createDeployment: { body: DeploymentCreate, response: Deployment },
  // 200 or 207; the bodies are not documented.
  deleteDeployments: { query: DeleteDeploymentsQuery, response: z.unknown() },
  countFreeDeployments: { response: FreeCount },
  getDeployment: { response: Deployment },
  updateDeployment: { body: DeploymentPatch, response: Deployment },
  deleteDeployment: { query: DeleteDeploymentQuery, response: z.undefined() },
  createUploadUrl: { response: UploadPlace },
  updateDeploymentTier: { body: DeploymentTierPatch, response: Undocumented },
  updateResourceTiers: { body: ResourceTiersPatch, response: Undocumented },

  listRevisions: { query: ListRevisionsQuery, response: RevisionsList },
  createRevision: { body: RevisionCreate, response: Revision },
  getRevision: { response: Revision },
  redeployRevision: { response: Deployment },
  interruptRevision: { response: z.unknown() },
  listRevisionLogs: { query: ListRevisionLogsQuery, response: LogsPage },
  listDeploymentLogs: { query: ListRevisionLogsQuery, response: LogsPage },
  searchDeploymentLogs: { query: SearchDeploymentLogsQuery, response: LogsSearchPage },

  listGithubIntegrations: { response: z.array(GithubIntegration) },
  listGithubRepositories: { response: z.array(GithubRepository) },
  inspectRepository: { query: InspectRepositoryQuery, response: RepositoryInspection },
  listRepositoryRefs: { query: ListRefsQuery, response: RepositoryRefs },
  listForgeIntegrations: { response: z.array(GithubIntegration) },
  listForgeRepositories: { response: z.array(GithubRepository) },
  listGithubInstallations: { query: ListInstallationsQuery, response: InstallationsPage },
  listInstallationRepositories: { query: ListInstallationsQuery, response: InstallationRepositoriesPage },
  createInstallationLink: { response: InstallationLink },

  getRetention: { response: PlatformRetention },
  updateRetention: { body: RetentionPatch, response: PlatformRetention },

  listListeners: { query: ListListenersQuery, response: ListenersList },
  createListener: { body: ListenerCreate, response: ListenerCreated },
  getListener: { response: Listener },
  updateListener: { body: ListenerPatch, response: Listener },
  deleteListener: { response: z.undefined() },
  renewListenerToken: { response: ListenerToken },
  revokeListenerToken: { response: z.undefined() },
} satisfies Record<string, RowSchemas>

import type { controlPlaneSchemas } from './control-plane.schemas'
import { defineApi } from './wire/api'

/** The control plane's operations, from the API documentation and tests with real servers. */
export const controlPlane = defineApi<typeof controlPlaneSchemas>()('control-plane', {
  listDeployments: { method: 'GET', path: '/v2/deployments', role: 'viewer', effect: 'read' },
  createDeployment: { method: 'POST', path: '/v2/deployments', role: 'admin', effect: 'write' },
  deleteDeployments: { method: 'DELETE', path: '/v2/deployments', role: 'admin', effect: 'write' },
  countFreeDeployments: { method: 'GET', path: '/v2/deployments/free-count', role: 'viewer', effect: 'read' },
  getDeployment: { method: 'GET', path: '/v2/deployments/{deployment_id}', role: 'viewer', effect: 'read' },
  updateDeployment: { method: 'PATCH', path: '/v2/deployments/{deployment_id}', role: 'admin', effect: 'write' },
  deleteDeployment: {
    method: 'DELETE',
    path: '/v2/deployments/{deployment_id}',
    role: 'admin',
    effect: 'write',
    response: 'none',
  },
  /** A place for the archive of a folder, of source `internal_source`. */
  createUploadUrl: {
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/upload-url',
    role: 'admin',
    effect: 'write',
  },
  updateDeploymentTier: {
    method: 'PATCH',
    path: '/v2/deployments/{deployment_id}/deployment-tier',
    role: 'admin',
    effect: 'write',
  },
  updateResourceTiers: {
    method: 'PATCH',
    path: '/v2/deployments/{deployment_id}/resource-tiers',
    role: 'admin',
    effect: 'write',
  },

  listRevisions: { method: 'GET', path: '/v2/deployments/{deployment_id}/revisions', role: 'viewer', effect: 'read' },
  createRevision: { method: 'POST', path: '/v2/deployments/{deployment_id}/revisions', role: 'admin', effect: 'write' },
  getRevision: {
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}',
    role: 'viewer',
    effect: 'read',
  },
  redeployRevision: {
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy',
    role: 'admin',
    effect: 'write',
  },
  interruptRevision: {
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
    role: 'admin',
    effect: 'write',
  },
  listRevisionLogs: {
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
    role: 'viewer',
    effect: 'read',
  },
  listDeploymentLogs: { method: 'GET', path: '/v2/deployments/{deployment_id}/logs', role: 'viewer', effect: 'read' },
  searchDeploymentLogs: { method: 'GET', path: '/v2/deployment-logs', role: 'viewer', effect: 'read' },

  listGithubIntegrations: { method: 'GET', path: '/v1/integrations/github/install', role: 'viewer', effect: 'read' },
  listGithubRepositories: {
    method: 'GET',
    path: '/v1/integrations/github/{integration_id}/repos',
    role: 'viewer',
    effect: 'read',
  },
  /** Only the embedded platform has it; others answer 404. */
  inspectRepository: {
    method: 'GET',
    path: '/v1/integrations/github/{integration_id}/inspect',
    role: 'admin',
    effect: 'read',
  },
  /** Branches and tags, to choose from; only the embedded platform has it. */
  listRepositoryRefs: {
    method: 'GET',
    path: '/v1/integrations/github/{integration_id}/refs',
    role: 'admin',
    effect: 'read',
  },
  listForgeIntegrations: {
    method: 'GET',
    path: '/v1/integrations/forge/github/install',
    role: 'viewer',
    effect: 'read',
  },
  listForgeRepositories: {
    method: 'GET',
    path: '/v1/integrations/forge/github/{integration_id}/repos',
    role: 'viewer',
    effect: 'read',
  },
  listGithubInstallations: {
    method: 'GET',
    path: '/v2/integrations/github/installations',
    role: 'viewer',
    effect: 'read',
  },
  listInstallationRepositories: {
    method: 'GET',
    path: '/v2/integrations/github/installations/{installation_id}/repositories',
    role: 'viewer',
    effect: 'read',
  },
  createInstallationLink: {
    method: 'POST',
    path: '/v2/integrations/github/installation-link',
    role: 'admin',
    effect: 'write',
  },

  /** Only the embedded platform has them. */
  getRetention: { method: 'GET', path: '/v2/retention', role: 'admin', effect: 'read' },
  updateRetention: { method: 'PATCH', path: '/v2/retention', role: 'admin', effect: 'write' },

  listListeners: { method: 'GET', path: '/v2/listeners', role: 'viewer', effect: 'read' },
  createListener: { method: 'POST', path: '/v2/listeners', role: 'admin', effect: 'write' },
  getListener: { method: 'GET', path: '/v2/listeners/{listener_id}', role: 'viewer', effect: 'read' },
  updateListener: { method: 'PATCH', path: '/v2/listeners/{listener_id}', role: 'admin', effect: 'write' },
  deleteListener: {
    method: 'DELETE',
    path: '/v2/listeners/{listener_id}',
    role: 'admin',
    effect: 'write',
    response: 'none',
  },
  /** Only the embedded platform has tokens of listeners. */
  renewListenerToken: { method: 'POST', path: '/v2/listeners/{listener_id}/token', role: 'admin', effect: 'write' },
  revokeListenerToken: {
    method: 'DELETE',
    path: '/v2/listeners/{listener_id}/token',
    role: 'admin',
    effect: 'write',
    response: 'none',
  },
})

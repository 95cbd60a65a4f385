import type { controlPlane } from '@/lib/contracts/control-plane'
import type { Secret } from '@/lib/contracts/deployments/deployments'
import type { WireOf } from '@/lib/contracts/wire/api'
import type { LogRow } from '../kernel/revision-log'
import type { RevisionRow } from '../kernel/schema'
import type { DeploymentRead } from '../kernel/store'
import type { Platform } from './platform'

type WireDeployment = WireOf<typeof controlPlane.getDeployment>
type WireRevision = WireOf<typeof controlPlane.getRevision>

const SOURCE_CONFIG = {
  integration_id: null,
  repo_url: null,
  deployment_type: null,
  build_on_push: null,
  custom_url: null,
  resource_spec: null,
  listener_id: null,
  listener_config: null,
  install_command: null,
  build_command: null,
}
/** A revision can be redeployed without end. */
const MOST_STATUSES = 100
const SOURCE_REVISION_CONFIG = { repo_ref: null, graph_config_path: null, image_uri: null, repo_commit_sha: null }

/** A deployment's record for callers: every field, secrets with their values, and the current address. */
export function deploymentRecord(platform: Platform, row: DeploymentRead): WireDeployment {
  return {
    id: row.id,
    name: row.name,
    source: row.source,
    source_config: {
      ...SOURCE_CONFIG,
      ...row.sourceConfig,
      custom_url: row.sourceConfig.custom_url ?? `${platform.gatewayUrl ?? platform.publicUrl()}/agents/${row.id}`,
    },
    source_revision_config: { ...SOURCE_REVISION_CONFIG, ...row.latest },
    secrets: platform.sealer.open<Secret[]>(row.secrets, row.id),
    secret_references: null,
    tenant_id: platform.tenantId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    status: row.status,
    latest_revision_id: row.latestRevisionId,
    active_revision_id: row.activeRevisionId,
    image_version: row.imageVersion,
    tracing_project_id: row.tracingProjectId,
    isolation: platform.computes.of(row).type === 'k8s' ? 'pod' : platform.isolation,
    listener: listenerOf(platform, row),
  }
}

function listenerOf({ computes, listeners, ownListener }: Platform, row: DeploymentRead): WireDeployment['listener'] {
  const { listener_id: id } = row.sourceConfig
  const { type, away } = computes.of(row)
  if (!id && type === 'process') return null
  return {
    name: (id && listeners.find(id)?.computeId) || ownListener.name,
    away: away ? { who: away.who, since: away.since?.toISOString() ?? null } : null,
  }
}

export function revisionRecord(row: RevisionRow): WireRevision {
  return {
    id: row.id,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    status: row.status,
    source: row.source,
    source_revision_config: { ...SOURCE_REVISION_CONFIG, ...row.sourceRevisionConfig },
    status_history: row.statusHistory.slice(-MOST_STATUSES),
    commit: row.commit,
    image: row.image,
  }
}

export const logRecord = (row: LogRow) => ({
  id: String(row.id),
  timestamp: row.time.toISOString(),
  level: row.level,
  message: row.message,
  ...(row.runId && { run_id: row.runId }),
  revision_id: row.revisionId,
})

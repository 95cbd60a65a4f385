import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment, DeploymentsList, ListDeploymentsQuery } from '@/lib/contracts/deployments/deployments'
import type { RevisionsList } from '@/lib/contracts/deployments/revisions'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { type DirectServerView, directServer, listDirectServers } from '../access/direct-servers'
import type { Workspace } from '../access/workspaces'

// A workspace of kind `direct` has no control plane. Its registered agent servers appear as deployments so that every
// page works; other control-plane operations are refused with the reason.

const NO_CONTROL_PLANE = 'This workspace has no control plane: its agent servers are added manually, and it cannot'

/** The refused operations, phrased to follow "it cannot". */
const REFUSED: Record<string, string> = {
  createDeployment: 'create deployments. An admin registers a server in the settings.',
  updateDeployment: 'change deployments.',
  deleteDeployment: 'delete deployments. An admin removes a server in the settings.',
  deleteDeployments: 'delete deployments. An admin removes a server in the settings.',
}

/** Answers a control-plane operation of a direct workspace. Throws AppError unsupported if it needs a control plane. */
export async function serveDirectly(
  op: Operation,
  workspace: Workspace,
  params: Record<string, string>,
  query: unknown,
): Promise<unknown> {
  switch (op.id) {
    case controlPlane.listDeployments.id:
      return listDeployments(workspace, query as ListDeploymentsQuery) // parsed with this row's schema
    case controlPlane.getDeployment.id:
      return asDeployment(await directServer(workspace.slug, params.deployment_id ?? ''))
    case controlPlane.listRevisions.id:
      return { resources: [], unread: [], offset: 0 } satisfies RevisionsList
    default:
      throw new AppError('unsupported', `${NO_CONTROL_PLANE} ${REFUSED[op.id] ?? 'offer this.'}`)
  }
}

async function listDeployments(workspace: Workspace, query: ListDeploymentsQuery): Promise<DeploymentsList> {
  const { limit, offset, name, name_contains, status, deployment_ids } = query
  const ids = deployment_ids?.split(',')
  const all = (await listDirectServers(workspace.slug))
    .map(asDeployment)
    .filter(
      (one) =>
        (!ids || ids.includes(one.id)) &&
        (!name || one.name === name) &&
        (!name_contains || one.name.toLowerCase().includes(name_contains.toLowerCase())) &&
        (!status || one.status === status),
    )
  const resources = all.slice(offset, offset + limit)
  return { resources, offset: offset + resources.length }
}

/** `external` means that no control plane created it. It is always READY; its pages show whether the server responds. */
function asDeployment({
  id,
  name,
  url,
  createdAt,
}: Pick<DirectServerView, 'id' | 'name' | 'url' | 'createdAt'>): Deployment {
  return {
    id,
    name,
    source: 'external',
    source_config: { custom_url: url },
    source_revision_config: {},
    secrets: [],
    created_at: createdAt,
    updated_at: createdAt,
    status: 'READY',
    latest_revision_id: null,
    active_revision_id: null,
    image_version: null,
  }
}

import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment, DeploymentsList, ListDeploymentsQuery } from '@/lib/contracts/deployments/deployments'
import type { RevisionsList } from '@/lib/contracts/deployments/revisions'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { type DirectServerView, directServer, listDirectServers } from '../access/direct-servers'
import type { Workspace } from '../access/workspaces'

// A workspace of kind `direct` has no control plane. Its registered agent servers answer for deployments, so that every
// page works on them; what only a control plane can do is refused with the reason.

const NO_CONTROL_PLANE = 'This workspace has no control plane: its agent servers are registered by hand, and it cannot'

/** What is refused, in words that fit after "it cannot". */
const REFUSED: Record<string, string> = {
  createDeployment: 'create deployments. An admin registers a server in the settings.',
  updateDeployment: 'change deployments.',
  deleteDeployment: 'delete deployments. An admin removes a server in the settings.',
  deleteDeployments: 'delete deployments. An admin removes a server in the settings.',
}

/** Answers a control-plane operation of a direct workspace. Throws AppError unsupported for those without a meaning there. */
export async function answerDirectly(
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
      return { resources: [], offset: 0 } satisfies RevisionsList
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

/** Source `external`: its operator made it, not a control plane. Whether it answers is shown by its own pages. */
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

import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { ResourceSpecView } from '@/lib/contracts/deployments/resource-spec-view'
import { isAtLeast } from '@/lib/contracts/wire/api'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { printJson } from '@/lib/json/lossless'
import { type Actor, roleOf } from '../access/actor'
import { call } from '../upstream/call'
import { readForEdit } from './edit-deployment'

/** Each field of the spec separately, so that a conflict names the fields. */
export const SPEC_PATHS = ['source_config.resource_spec.*'] as const

/** A deployment's resource spec for a page. Users who may change it get it unparsed, with unknown fields. */
export async function readResourceSpec(place: DeploymentPlace, actor: Actor): Promise<ResourceSpecView> {
  const { workspace, deploymentId } = place
  const role = await roleOf(actor, workspace, deploymentId)
  if (!role || !isAtLeast(role, 'admin')) {
    const current = await call(
      controlPlane.getDeployment,
      { workspace, params: { deployment_id: deploymentId } },
      { actor },
    )
    return viewOf(current, null)
  }
  const { current, snapshot } = await readForEdit(place, SPEC_PATHS, { actor })
  return viewOf(current, snapshot)
}

type Read = { source?: string; source_config?: { resource_spec?: unknown } | null }

function viewOf({ source = '', source_config }: Read, snapshot: ResourceSpecView['snapshot']): ResourceSpecView {
  const spec = source_config?.resource_spec
  return { text: spec === undefined || spec === null ? null : printJson(spec), source, snapshot }
}

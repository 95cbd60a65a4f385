import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { ResourceSpec } from '@/lib/contracts/deployments/resource-spec'
import type { Refusal } from './cluster'
import { SETTINGS_VOLUME, TMP_VOLUME } from './names'

/** Volumes and mounts of ours that come before a deployment's own, without a build. */
const OWN_COUNT = [TMP_VOLUME, SETTINGS_VOLUME].length
const SPEC = 'spec.template.spec.'

/** What a cluster says about our objects, as problems of the request that they come from. */
export function problemsOf(refusals: readonly Refusal[], spec: ResourceSpec): Problem[] {
  const found = new Map<string, Problem>()
  for (const { kind, field, message } of refusals) {
    const path =
      kind === 'Namespace'
        ? ['source_config', 'listener_config', 'k8s_namespace']
        : ['source_config', 'resource_spec', ...placeOf(field, spec)]
    // The same fault is found in the Deployment and again in that of its queue.
    found.set(`${path.join('.')} ${message}`, {
      path,
      message: `The cluster refuses it: ${message}`,
      type: 'value_error',
    })
  }
  return [...found.values()]
}

/** The field of a resource spec that became a field of an object, as exactly as can be told. */
export function placeOf(field: string, spec: ResourceSpec): (string | number)[] {
  if (/\blabels\b/.test(field)) return ['labels']
  if (/\bannotations\b/.test(field)) return ['annotations']
  if (!field.startsWith(SPEC)) return []
  const [list = '', ...rest] = partsOf(field.slice(SPEC.length))
  const [index, ...inner] = rest
  const at = typeof index === 'number' ? index : 0
  const sidecars = (spec.sidecars ?? []).map(({ restartPolicy }, place) => ({
    isKept: restartPolicy === 'Always',
    place,
  }))
  if (list === 'volumes') return at >= OWN_COUNT ? ['volumes', at - OWN_COUNT, ...inner] : []
  if (list === 'initContainers') {
    const kept = sidecars.filter(({ isKept }) => isKept)
    const sidecar = kept[at]
    return sidecar ? ['sidecars', sidecar.place, ...inner] : ['init_containers', at - kept.length, ...inner]
  }
  if (list === 'containers' && at > 0) {
    const sidecar = sidecars.filter(({ isKept }) => !isKept)[at - 1]
    return sidecar ? ['sidecars', sidecar.place, ...inner] : []
  }
  if (list === 'containers' && inner[0] === 'volumeMounts' && typeof inner[1] === 'number')
    return ['volume_mounts', inner[1] - OWN_COUNT, ...inner.slice(2)]
  if (list === 'serviceAccountName') return ['service_account_name']
  if (list === 'imagePullSecrets') return ['image_pull_secrets', ...rest]
  return []
}

/** `a.b[0].c` as a list. */
const partsOf = (field: string): (string | number)[] =>
  [...field.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part))

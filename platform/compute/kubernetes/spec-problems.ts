import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { DeploymentCreate, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import { CPU_LIMITS, CPUS, DB_CPUS, type Figure, SCALES, SIZES } from '@/lib/contracts/deployments/resource-defaults'
import type { Container, ResourceSpec, VolumeMount } from '@/lib/contracts/deployments/resource-spec'
import { VOLUME_SOURCES } from '@/lib/contracts/deployments/resource-spec'
import { localPath } from '../../builder/git-address'
import { AGENT_CONTAINER, BUILD_CONTAINER, isDnsLabel, keyProblem, labelValueProblem } from './names'

const MOST_SECRET_BYTES = 900_000

type Path = (string | number)[]
type Found = { path: Path; message: string }

const isSet = (value: unknown): boolean => value !== null && value !== undefined

/** Why a figure has no counterpart; undefined for those that have one. */
function unmapped(field: Figure): string | undefined {
  if (field.startsWith('db_')) return 'Deployments share the database of this platform, so it cannot be set for one'
  if (field.startsWith('redis_')) return 'Deployments of this platform use no Redis'
  if (/^(orchestrator|executor|core)_/.test(field)) return 'This platform has no such component'
  return undefined
}

/** What of a request a cluster cannot honour, beyond what the request's schema refuses. */
export function requestProblems(
  body: DeploymentCreate | DeploymentPatch,
  { namespaces, readsLocalRepositories }: { namespaces: readonly string[]; readsLocalRepositories?: boolean },
): Problem[] {
  const { source_config: config, secret_references, secrets } = body
  const problems = specProblems(config?.resource_spec)
  const add = (path: Problem['path'], message: string) => problems.push({ path, message, type: 'value_error' })
  const namespace = (config?.listener_config as { k8s_namespace?: string | null } | null | undefined)?.k8s_namespace
  if (namespace && !namespaces.includes(namespace))
    add(
      ['source_config', 'listener_config', 'k8s_namespace'],
      `This listener may use the namespaces ${namespaces.join(', ')}`,
    )
  const url = (config as { repo_url?: string | null } | null | undefined)?.repo_url
  if (url && localPath(url) !== undefined && !readsLocalRepositories)
    add(
      ['source_config', 'repo_url'],
      'The pods of a cluster cannot read a folder of this machine. Use an https address',
    )
  if ('source' in body && body.source === 'internal_source')
    add(['source'], 'Uploaded sources are not available for a cluster. Use a git repository or an image')
  if (secret_references?.length)
    add(['secret_references'], 'They are not available here. Use secrets, or an init container or sidecar with envFrom')
  const bytes = (secrets ?? []).reduce((sum, { name, value }) => sum + Buffer.byteLength(name + value), 0)
  if (bytes > MOST_SECRET_BYTES) add(['secrets'], 'Together they are too large for a Secret of the cluster (900 kB)')
  return problems
}

/** What of a resource spec cannot become Kubernetes objects, beyond what its schema refuses. */
export function specProblems(spec: ResourceSpec | null | undefined): Problem[] {
  if (!spec) return []
  const found: Found[] = []
  const say = (message: string | undefined, ...path: Path) => {
    if (message) found.push({ path, message })
  }
  for (const field of [...SCALES, ...CPUS, ...CPU_LIMITS, ...DB_CPUS, ...SIZES])
    if (isSet(spec[field])) say(unmapped(field), field)
  for (const field of ['min_scale', 'max_scale', 'queue_min_scale', 'queue_max_scale'] as const)
    if (spec[field] === 0) say('The autoscaler of a cluster needs at least 1', field)
  for (const [field, value] of [['labels', spec.labels] as const, ['annotations', spec.annotations] as const])
    for (const [key, text] of Object.entries(value ?? {})) {
      say(keyProblem(key), field, key)
      if (field === 'labels') say(labelValueProblem(text), field, key)
    }
  if (spec.service_account_name) say(subdomainProblem(spec.service_account_name), 'service_account_name')
  for (const [index, { name }] of (spec.image_pull_secrets ?? []).entries())
    say(subdomainProblem(name ?? ''), 'image_pull_secrets', index, 'name')
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const sources = VOLUME_SOURCES.filter((kind) => isSet(volume[kind]))
    if (!volume.name) say('A volume needs a name', 'volumes', index, 'name')
    if (volume.name?.startsWith('pilothouse-'))
      say('Names with pilothouse- are used by the platform', 'volumes', index, 'name')
    if (sources.length > 1) say(`A volume has one source; this has ${sources.join(' and ')}`, 'volumes', index)
  }
  mountProblems(spec.volume_mounts, say, 'volume_mounts')
  for (const list of ['init_containers', 'sidecars'] as const)
    for (const [index, container] of (spec[list] ?? []).entries()) containerProblems(container, say, list, index)
  return found.map(({ path, message }) => ({
    path: ['source_config', 'resource_spec', ...path],
    message,
    type: 'value_error',
  }))
}

type Say = (message: string | undefined, ...path: Path) => void
type Loose = NonNullable<ResourceSpec['sidecars']>[number]

function containerProblems(
  container: Loose | Container,
  say: Say,
  list: 'init_containers' | 'sidecars',
  index: number,
) {
  const at = (...path: Path): Path => [list, index, ...path]
  if (container.name === AGENT_CONTAINER || container.name === BUILD_CONTAINER)
    say(`The platform's own container is named ${container.name}`, ...at('name'))
  if (container.restartPolicy === 'OnFailure' && list === 'sidecars')
    say('A cluster restarts sidecars however they end: use Always, or an init container', ...at('restartPolicy'))
  for (const kind of ['limits', 'requests'] as const)
    for (const [name, amount] of Object.entries(container.resources?.[kind] ?? {}))
      if (!isQuantity(String(amount))) say('Use an amount such as 500m, 2 or 256Mi', ...at('resources', kind, name))
  mountProblems(container.volumeMounts, say, ...at('volumeMounts'))
}

function mountProblems(mounts: readonly VolumeMount[] | null | undefined, say: Say, ...place: Path) {
  const paths = new Set<string>()
  for (const [index, mount] of (mounts ?? []).entries()) {
    if (!mount.name) say('A mount needs the name of a volume', ...place, index, 'name')
    if (!mount.mountPath) say('A mount needs a path', ...place, index, 'mountPath')
    else if (mount.mountPath.includes(':')) say('A path cannot contain a colon', ...place, index, 'mountPath')
    else if (paths.has(mount.mountPath)) say('Another mount has the same path', ...place, index, 'mountPath')
    else if (place[0] === 'volume_mounts' && /^\/(deployment|tmp|etc\/pilothouse)\/?$/.test(mount.mountPath))
      say('The platform mounts a volume of its own there', ...place, index, 'mountPath')
    if (mount.mountPath) paths.add(mount.mountPath)
    if (mount.subPath && mount.subPathExpr) say('Use subPath or subPathExpr, not both', ...place, index, 'subPathExpr')
    if (mount.mountPropagation && !PROPAGATIONS.includes(mount.mountPropagation))
      say(`Input should be ${PROPAGATIONS.join(', ')}`, ...place, index, 'mountPropagation')
  }
}

const PROPAGATIONS = ['None', 'HostToContainer', 'Bidirectional']

/** An amount of the API, such as `500m`, `1.5`, `2Gi` or `1e3`. */
export const isQuantity = (text: string): boolean =>
  /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/.test(text)

const subdomainProblem = (name: string): string | undefined =>
  name.length <= 253 && name.split('.').every(isDnsLabel)
    ? undefined
    : 'Use lowercase letters, digits, hyphens and dots; start and end with a letter or digit'

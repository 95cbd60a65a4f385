import type {
  V1Container,
  V1Deployment,
  V1Job,
  V1ObjectMeta,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1Secret,
  V1Service,
  V1Volume,
  V1VolumeMount,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node'
import { withDefaults } from '@/lib/contracts/deployments/resource-defaults'
import type { ResourceSpec } from '@/lib/contracts/deployments/resource-spec'
import { type ContainerSettings, SERVE_ON_SECONDS, SETTINGS_FILE } from './container-settings'
import { gitSecret } from './git-secret'
import {
  AGENT_CONTAINER,
  AGENT_PORT,
  BUILD_CONTAINER,
  HEALTH_PORT,
  LABELS,
  MANAGER,
  type Role,
  revisionName,
  SETTINGS_PATH,
  SETTINGS_VOLUME,
  SOURCE_PATH,
  SOURCE_VOLUME,
  serviceName,
  TMP_VOLUME,
} from './names'
import { RESTRICTED } from './security'

export type RevisionInput = {
  platformId: string
  namespace: string
  deployment: { id: string; name: string }
  revisionId: string
  /** The image of the agent server, and of the build if there is one. */
  image: string
  /** A Secret of the namespace that may pull the image, if its registry asks for one. */
  pullSecret?: string | undefined
  /** Whether the source is cloned and built in the pod first. */
  isBuilt: boolean
  /** A Secret of the namespace with the credentials of private repositories. */
  gitSecret?: string | undefined
  /** The deployment's own variables. */
  secrets: readonly { name: string; value: string }[]
  /** For the program in the container; has secrets too. */
  settings: ContainerSettings
  /** Variables that every container of ours gets; none is secret. */
  variables: Record<string, string>
  spec: ResourceSpec | null | undefined
  /** How long a stopping pod may take to finish its runs. */
  drainSeconds: number
}

export type ManifestObject =
  | V1Deployment
  | V1Job
  | V1PodDisruptionBudget
  | V1Service
  | V1Secret
  | V2HorizontalPodAutoscaler

export type RevisionManifests = {
  /** Owns all the others, which go when it goes. */
  owner: V1Deployment
  owned: ManifestObject[]
}

/** A pod that scales by processor time needs a request to measure it by. */
const SCALING_CPU = 0.5
const CPU_TARGET_PERCENT = 70
const STOP_SECONDS = 10
/** A graph may load for long; the roll-out has a limit of its own. */
const STARTUP_TRIES = 150

type Scale = { min: number; max: number }
type Amounts = { cpu?: number; cpuLimit?: number; memory?: number; memoryLimit?: number }

/** The objects of one revision. A pure function, so that a revision always becomes the same objects. */
export function revisionManifests(input: RevisionInput): RevisionManifests {
  const spec: ResourceSpec = input.spec ?? {}
  const full = withDefaults(spec)
  const name = revisionName(input.deployment, input.revisionId)
  const { api, queue } = scalesOf(spec)
  const amounts = amountsOf(full.cpu, full.cpu_limit, full.memory_mb, full.memory_limit_mb)
  const owned: ManifestObject[] = [secretOf(input, name), serviceFor(input, name, 'revision')]
  if (api.max > api.min) owned.push(autoscaler(input, name, 'api', api))
  if (api.max > 1) owned.push(disruptionBudget(input, name, 'api'))
  if (queue) {
    const own = amountsOf(full.queue_cpu, full.queue_cpu_limit, full.queue_memory_mb, full.queue_memory_limit_mb)
    owned.push(deploymentOf(input, `${name}-queue`, 'queue', queue, own))
    if (queue.max > queue.min) owned.push(autoscaler(input, `${name}-queue`, 'queue', queue))
    if (queue.max > 1) owned.push(disruptionBudget(input, `${name}-queue`, 'queue'))
  }
  return { owner: deploymentOf(input, name, 'api', api, amounts), owned }
}

/** The address that stays the same from revision to revision: a switch changes where it leads. */
export const stableService = (
  input: Pick<RevisionInput, 'platformId' | 'namespace' | 'deployment' | 'revisionId' | 'spec'>,
): V1Service => serviceFor(input, serviceName(input.deployment), 'stable')

const scaleOf = (min: number | null | undefined, max: number | null | undefined): Scale => {
  const low = min ?? 1
  return { min: low, max: Math.max(low, max ?? low) }
}

/** Without a setting of its own, the servers that answer requests execute the runs as well. */
function scalesOf(spec: ResourceSpec): { api: Scale; queue?: Scale } {
  const full = withDefaults(spec)
  const api = scaleOf(full.min_scale, full.max_scale)
  const hasQueue = Object.entries(spec).some(([field, value]) => field.startsWith('queue_') && value !== null)
  return { api, ...(hasQueue && { queue: scaleOf(full.queue_min_scale, full.queue_max_scale) }) }
}

/** How many pods a revision has, of both roles. */
export function podCounts(spec: ResourceSpec | null | undefined): Scale {
  const { api, queue = { min: 0, max: 0 } } = scalesOf(spec ?? {})
  return { min: api.min + queue.min, max: api.max + queue.max }
}

const amountsOf = (...[cpu, cpuLimit, memory, memoryLimit]: (number | null | undefined)[]): Amounts => ({
  ...(typeof cpu === 'number' && { cpu }),
  ...(typeof cpuLimit === 'number' && { cpuLimit }),
  ...(typeof memory === 'number' && { memory }),
  ...(typeof memoryLimit === 'number' && { memoryLimit }),
})

type Placed = Pick<RevisionInput, 'platformId' | 'namespace' | 'deployment' | 'revisionId' | 'spec'>

/** Which pods belong to a revision, or to one of its roles. */
export const podLabels = ({ platformId, deployment, revisionId }: Placed, role?: Role): Record<string, string> => ({
  [LABELS.managedBy]: MANAGER,
  [LABELS.platform]: platformId,
  [LABELS.deployment]: deployment.id,
  [LABELS.revision]: revisionId,
  ...(role && { [LABELS.role]: role }),
})

function metaOf(input: Placed, name: string, role?: Role): V1ObjectMeta {
  const { labels, annotations } = input.spec ?? {}
  return {
    name,
    namespace: input.namespace,
    labels: { ...labels, ...podLabels(input, role) },
    annotations: { ...annotations, 'pilothouse.dev/name': input.deployment.name },
  }
}

function secretOf(input: RevisionInput, name: string): V1Secret {
  const entries = [
    [SETTINGS_FILE, JSON.stringify(input.settings)] as const,
    ...input.secrets.map(({ name: key, value }) => [key, value] as const),
  ]
  const data = entries.map(([key, value]) => [key, Buffer.from(value).toString('base64')])
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metaOf(input, name),
    type: 'Opaque',
    data: Object.fromEntries(data),
  }
}

function serviceFor(input: Placed, name: string, kind: 'stable' | 'revision'): V1Service {
  const { [LABELS.revision]: revision = '', ...ofDeployment } = podLabels(input, 'api')
  const meta = metaOf(input, name)
  // The stable one belongs to the deployment, not to a revision.
  if (kind === 'stable') delete meta.labels?.[LABELS.revision]
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta,
    spec: {
      selector: { ...ofDeployment, [LABELS.revision]: revision },
      ports: [{ name: 'http', port: AGENT_PORT, targetPort: 'http', protocol: 'TCP' }],
    },
  }
}

function autoscaler(input: RevisionInput, name: string, role: Role, { min, max }: Scale): V2HorizontalPodAutoscaler {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metaOf(input, name, role),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: min,
      maxReplicas: max,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_TARGET_PERCENT } },
        },
      ],
    },
  }
}

/** Drained nodes give their pods up one after the other. Never blocks a drain: not the last pod, and none that is not ready. */
function disruptionBudget(input: RevisionInput, name: string, role: Role): V1PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metaOf(input, name, role),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: podLabels(input, role) },
    },
  }
}

function deploymentOf(input: RevisionInput, name: string, role: Role, scale: Scale, amounts: Amounts): V1Deployment {
  const meta = metaOf(input, name, role)
  const isScaled = scale.max > scale.min
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta,
    spec: {
      // The autoscaler sets the number where there is one; a number here would undo its work.
      ...(!isScaled && { replicas: scale.min }),
      revisionHistoryLimit: 1,
      selector: { matchLabels: podLabels(input, role) },
      template: {
        metadata: { labels: meta.labels ?? {}, annotations: meta.annotations ?? {} },
        spec: podSpec(input, isScaled && amounts.cpu === undefined ? { ...amounts, cpu: SCALING_CPU } : amounts),
      },
    },
  }
}

function podSpec(input: RevisionInput, amounts: Amounts): V1PodSpec {
  const { image, isBuilt, drainSeconds } = input
  const spec: ResourceSpec = input.spec ?? {}
  const name = revisionName(input.deployment, input.revisionId)
  const pullSecrets = [
    ...(input.pullSecret ? [{ name: input.pullSecret }] : []),
    ...(spec.image_pull_secrets ?? []).map((one) => ({ name: one.name ?? '' })),
  ]
  const ownMounts: V1VolumeMount[] = [
    ...(isBuilt ? [{ name: SOURCE_VOLUME, mountPath: SOURCE_PATH }] : []),
    { name: TMP_VOLUME, mountPath: '/tmp' },
    { name: SETTINGS_VOLUME, mountPath: SETTINGS_PATH, readOnly: true },
  ]
  const common = {
    image,
    env: [
      { name: 'PILOTHOUSE_AGENT_SETTINGS', value: `${SETTINGS_PATH}/${SETTINGS_FILE}` },
      ...Object.entries(input.variables).map(([key, value]) => ({ name: key, value })),
      ...input.secrets.map(({ name: key }) => ({ name: key, valueFrom: { secretKeyRef: { name, key } } })),
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: RESTRICTED,
  }
  const resources = resourcesOf(amounts)
  const git = gitSecret(isBuilt ? input.gitSecret : undefined)
  const build: V1Container = {
    ...common,
    name: BUILD_CONTAINER,
    args: ['build'],
    env: [...common.env, ...git.env],
    volumeMounts: [...ownMounts, ...git.mounts],
  }
  const sidecars = (spec.sidecars ?? []).map(containerOf)
  const agent: V1Container = {
    ...common,
    name: AGENT_CONTAINER,
    ...(isBuilt && { args: ['serve'] }),
    ports: [
      { name: 'http', containerPort: AGENT_PORT, protocol: 'TCP' },
      { name: 'health', containerPort: HEALTH_PORT, protocol: 'TCP' },
    ],
    ...(Object.keys(resources).length > 0 && { resources }),
    volumeMounts: [...ownMounts, ...mountsOf(spec.volume_mounts)],
    startupProbe: { ...probe('/live'), periodSeconds: 2, failureThreshold: STARTUP_TRIES },
    readinessProbe: { ...probe('/ready'), periodSeconds: 2, failureThreshold: 1 },
    livenessProbe: { ...probe('/live'), periodSeconds: 10, failureThreshold: 3 },
  }
  return {
    automountServiceAccountToken: Boolean(spec.service_account_name),
    ...(spec.service_account_name && { serviceAccountName: spec.service_account_name }),
    ...(pullSecrets.length && { imagePullSecrets: pullSecrets }),
    enableServiceLinks: false,
    terminationGracePeriodSeconds: SERVE_ON_SECONDS + Math.ceil(drainSeconds) + STOP_SECONDS,
    volumes: [
      ...(isBuilt ? [{ name: SOURCE_VOLUME, emptyDir: {} }, ...git.volumes] : []),
      { name: TMP_VOLUME, emptyDir: {} },
      { name: SETTINGS_VOLUME, secret: { secretName: name, items: [{ key: SETTINGS_FILE, path: SETTINGS_FILE }] } },
      ...(spec.volumes ?? []).map((volume) => withoutNulls(volume) as unknown as V1Volume),
    ],
    initContainers: [
      // A sidecar that a cluster keeps running is an init container to it; it starts before those that follow.
      ...sidecars.filter(({ restartPolicy }) => restartPolicy === 'Always'),
      ...(spec.init_containers ?? []).map(containerOf),
      ...(isBuilt ? [build] : []),
    ],
    containers: [agent, ...sidecars.filter(({ restartPolicy }) => restartPolicy !== 'Always')],
  }
}

const probe = (path: string) => ({ httpGet: { path, port: 'health' }, timeoutSeconds: 5 })

const cores = (value: number) => `${Math.round(value * 1000)}m`
const mebibytes = (value: number) => `${value}Mi`

function resourcesOf({ cpu, cpuLimit, memory, memoryLimit }: Amounts): NonNullable<V1Container['resources']> {
  const requests = {
    ...(cpu !== undefined && { cpu: cores(cpu) }),
    ...(memory !== undefined && { memory: mebibytes(memory) }),
  }
  const limits = {
    ...(cpuLimit !== undefined && { cpu: cores(cpuLimit) }),
    ...(memoryLimit !== undefined && { memory: mebibytes(memoryLimit) }),
  }
  return {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

type SpecContainer = NonNullable<ResourceSpec['sidecars']>[number]

function containerOf(container: SpecContainer): V1Container {
  const { restartPolicy, ...rest } = withoutNulls(container) as SpecContainer
  return {
    ...(rest as unknown as V1Container),
    // An init container is repeated until it succeeds in any case.
    ...(restartPolicy === 'Always' && { restartPolicy }),
  }
}

const mountsOf = (mounts: ResourceSpec['volume_mounts']): V1VolumeMount[] =>
  (mounts ?? []).map((mount) => withoutNulls(mount) as unknown as V1VolumeMount)

/** Absent and null mean the same in a request, but not to a cluster. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  )
}

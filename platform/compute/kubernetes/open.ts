import { createHmac } from 'node:crypto'
import type { AgentDatabases } from '../../kernel/agent-database'
import { agentPolicySource, type PlatformEnv } from '../../kernel/env'
import type { RevisionLogs } from '../../kernel/revision-log'
import type { Store } from '../../kernel/store'
import type { RevisionLogger } from '../revision-logger'
import type { ImageBuilds } from './build-job'
import type { Cluster } from './cluster'
import { openKubernetesCluster } from './kubernetes-cluster'
import { KubernetesCompute } from './kubernetes-compute'
import type { Address } from './reach'

export type KubernetesSettings = {
  /** Absent: the usual places, then the account of the pod. */
  kubeconfig?: string | undefined
  namespaces: readonly string[]
  image: string
  builds?: ImageBuilds | undefined
  pullSecret?: string | undefined
  /** A Secret of the namespaces with the credentials of private repositories. */
  gitSecret?: string | undefined
  /** Where the gateway reaches a service. */
  addressOf(service: { name: string; namespace: string; labels: Record<string, string> }): Address
  /** Host and port at which pods reach the database. */
  database?: string | undefined
  /** For tests. */
  readsLocalRepositories?: boolean
}

/** The settings of a platform whose deployments run in a cluster; undefined for processes. */
export function kubernetesSettings(env: PlatformEnv): KubernetesSettings | undefined {
  if (env.PILOTHOUSE_COMPUTE !== 'kubernetes') return undefined
  const image = env.PILOTHOUSE_KUBERNETES_IMAGE
  if (!image) throw new Error('PILOTHOUSE_KUBERNETES_IMAGE: name the image that builds and runs agents in the cluster.')
  const registry = env.PILOTHOUSE_KUBERNETES_REGISTRY
  const secret = env.PILOTHOUSE_KUBERNETES_REGISTRY_SECRET
  return {
    namespaces: env.PILOTHOUSE_KUBERNETES_NAMESPACES,
    image,
    builds: registry
      ? {
          registry,
          secret,
          buildkit: env.PILOTHOUSE_KUBERNETES_BUILDKIT_IMAGE,
          timeoutMs: env.PILOTHOUSE_KUBERNETES_BUILD_MINUTES * 60_000,
        }
      : undefined,
    pullSecret: secret,
    gitSecret: env.PILOTHOUSE_KUBERNETES_GIT_SECRET,
    addressOf: addressFrom(env.PILOTHOUSE_KUBERNETES_AGENT_URL),
    database: env.PILOTHOUSE_KUBERNETES_DATABASE,
  }
}

/** An address with `{service}` and `{namespace}` in it. Throws an Error for one that is none. */
export function addressFrom(template: string): KubernetesSettings['addressOf'] {
  const fill = (service: string, namespace: string) =>
    new URL(template.replaceAll('{service}', service).replaceAll('{namespace}', namespace))
  fill('service', 'namespace')
  return ({ name, namespace }) => {
    const { protocol, hostname, port, pathname } = fill(name, namespace)
    const isSecure = protocol === 'https:'
    return {
      host: hostname,
      port: Number(port) || (isSecure ? 443 : 80),
      isSecure,
      prefix: pathname.replace(/\/$/, ''),
    }
  }
}

export type ComputeParts = {
  store: Store
  logs: RevisionLogs
  logger: RevisionLogger
  databases: AgentDatabases
  platformId: string
  sealKey: Buffer
  folder: string
  publicUrl: string | undefined
  tracingKey(deploymentId: string): string
  drainMs: number
  readyTimeoutMs?: number | undefined
  log(line: string): void
}

/** A build in the pod is part of its start. */
const READY_MS = 20 * 60_000

export async function openKubernetesCompute(settings: KubernetesSettings, parts: ComputeParts) {
  return computeOn(await openKubernetesCluster({ kubeconfig: settings.kubeconfig, log: parts.log }), settings, parts)
}

/** The compute of a cluster, however it is reached. */
export function computeOn(
  cluster: Cluster,
  settings: Omit<KubernetesSettings, 'kubeconfig'>,
  parts: ComputeParts,
): KubernetesCompute {
  const { publicUrl, tracingKey, sealKey, drainMs, readyTimeoutMs, log, ...rest } = parts
  return new KubernetesCompute({
    ...rest,
    cluster,
    // Read at each use: a listener may change its settings.
    get namespaces() {
      return settings.namespaces
    },
    image: settings.image,
    builds: settings.builds,
    pullSecret: settings.pullSecret,
    gitSecret: settings.gitSecret,
    addressOf: (service) => settings.addressOf(service),
    readsLocalRepositories: settings.readsLocalRepositories ?? false,
    databaseOf: (given) =>
      settings.database
        ? { databaseUrl: Object.assign(new URL(given.databaseUrl), { host: settings.database }).href }
        : given,
    secretOf: (revisionId) =>
      createHmac('sha256', sealKey).update(`secret of revision ${revisionId}`).digest('base64url'),
    tracing: (id) => (publicUrl ? { endpoint: publicUrl, apiKey: tracingKey(id) } : undefined),
    variables: agentPolicySource(),
    drainSeconds: drainMs / 1000,
    readyTimeoutMs: readyTimeoutMs ?? READY_MS,
    logError: log,
  })
}

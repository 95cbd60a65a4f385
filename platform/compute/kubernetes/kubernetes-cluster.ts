import { setTimeout as sleep } from 'node:timers/promises'
import type * as Client from '@kubernetes/client-node'
import type { V1Service } from '@kubernetes/client-node'
import { inSpan } from '../../kernel/telemetry'
import { causesOf, isMissing, refusalOf, statusOf } from './api-errors'
import type { Cluster, Follower, Manifests, Refusal } from './cluster'
import type { ManifestObject, RevisionManifests } from './manifests'
import { LABELS, MANAGER, selectorOf } from './names'
import { NamespaceWatch } from './namespace-watch'
import { applyObject } from './server-side-apply'

export type KubernetesOptions = {
  /** Path of a kubeconfig file; absent: the usual places, then the account of the pod. */
  kubeconfig?: string | undefined
  context?: string | undefined
  log(line: string): void
}

const FIELD_MANAGER = 'pilothouse'
/** What the client calls the context of the account of a pod. */
const IN_CLUSTER = 'inClusterContext'
/** What a removed revision may leave. Its pods go by themselves once nothing makes new ones. */
const REMOVED: readonly [apiVersion: string, kind: string][] = [
  ['batch/v1', 'Job'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'ReplicaSet'],
  ['v1', 'Service'],
  ['v1', 'Secret'],
]
const LOOK_MS = 250
/** Beyond the time that pods were given to end. */
const REMOVE_LIMIT_MS = 30_000

/** A cluster whose API this program calls itself. The client is loaded only here: it is large. */
export async function openKubernetesCluster(options: KubernetesOptions): Promise<Cluster> {
  const client = await import('@kubernetes/client-node')
  const config = new client.KubeConfig()
  if (options.kubeconfig) config.loadFromFile(options.kubeconfig)
  else config.loadFromDefault()
  if (options.context) config.setCurrentContext(options.context)
  const server = config.getCurrentCluster()?.server
  if (!server) throw new Error('No Kubernetes cluster is configured: set KUBECONFIG, or run in a pod of the cluster.')
  return new KubernetesCluster(client, config, options.log)
}

class KubernetesCluster implements Cluster {
  readonly name: string
  #awaySince: Date | undefined
  readonly #objects: Client.KubernetesObjectApi
  readonly #watches = new Map<string, NamespaceWatch>()

  constructor(
    private readonly client: typeof Client,
    private readonly config: Client.KubeConfig,
    private readonly log: (line: string) => void,
  ) {
    const context = config.getCurrentContext()
    // A pod has no kubeconfig whose context would name its cluster.
    this.name = context === IN_CLUSTER ? 'kubernetes' : context || config.getCurrentCluster()?.server || 'kubernetes'
    this.#objects = client.KubernetesObjectApi.makeApiClient(config)
  }

  get awaySince(): Date | undefined {
    return this.#awaySince
  }

  async check({ owner, owned }: RevisionManifests): Promise<Refusal[]> {
    const found: Refusal[] = []
    for (const object of [owner, ...owned])
      try {
        await this.#put(object, 'All')
      } catch (error) {
        // What cannot be asked now is told by the roll-out.
        found.push(...causesOf(error, object.kind ?? ''))
      }
    return found
  }

  async apply({ owner, owned }: Manifests, signal: AbortSignal): Promise<void> {
    // The pods need the Secret, and the Secret its owner's id: so it is written twice.
    for (const object of owned.filter(({ kind }) => kind === 'Secret')) await this.#try(object, signal)
    const made = await this.#try(owner, signal)
    const reference = {
      apiVersion: owner.apiVersion ?? '',
      kind: owner.kind ?? '',
      name: made.metadata?.name ?? '',
      uid: made.metadata?.uid ?? '',
      controller: false,
      blockOwnerDeletion: false,
    }
    for (const object of owned)
      await this.#try({ ...object, metadata: { ...object.metadata, ownerReferences: [reference] } }, signal)
  }

  async pointService(service: V1Service, signal: AbortSignal): Promise<void> {
    await this.#try(service, signal)
  }

  async remove(namespace: string, labels: Record<string, string>, { isForced }: { isForced: boolean }): Promise<void> {
    const selector = selectorOf(labels)
    for (const [apiVersion, kind] of REMOVED)
      for (const object of await this.#list(apiVersion, kind, namespace, selector))
        await this.#delete({ ...object, apiVersion, kind })
    // Not only where no garbage collector runs: its turn may come late.
    let limit = REMOVE_LIMIT_MS
    for (const pod of await this.#list<Client.V1Pod>('v1', 'Pod', namespace, selector)) {
      limit = Math.max(limit, REMOVE_LIMIT_MS + (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000)
      await this.#delete({ ...pod, apiVersion: 'v1', kind: 'Pod' }, isForced ? 0 : undefined)
    }
    for (const end = Date.now() + limit; Date.now() < end; await sleep(LOOK_MS))
      if (!(await this.#list('v1', 'Pod', namespace, selector)).length) return
    this.log(`Pods in namespace ${namespace} of cluster ${this.name} are still ending: ${selector}`)
  }

  async valuesOf(namespaces: readonly string[], labels: Record<string, string>, label: string): Promise<string[]> {
    const values = new Set<string>()
    for (const namespace of namespaces)
      for (const [apiVersion, kind] of [['apps/v1', 'Deployment'] as const, ['v1', 'Service'] as const])
        for (const { metadata } of await this.#list(apiVersion, kind, namespace, selectorOf(labels))) {
          const value = metadata?.labels?.[label]
          if (value) values.add(value)
        }
    return [...values]
  }

  follow(namespace: string, labels: Record<string, string>, since: Date | undefined, follower: Follower): () => void {
    let watch = this.#watches.get(namespace)
    if (!watch) {
      const selector = selectorOf({ [LABELS.managedBy]: MANAGER })
      watch = new NamespaceWatch(this.client, this.config, namespace, selector, {
        reached: () => {
          this.#awaySince = undefined
        },
        failed: (error) => this.#miss(error),
      })
      this.#watches.set(namespace, watch)
    }
    const used = watch
    const end = used.follow(labels, since, follower)
    return () => {
      end()
      if (!used.isUnused) return
      this.#watches.delete(namespace)
      void used.close()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watch) => watch.close()))
    this.#watches.clear()
  }

  #miss(error: unknown): void {
    if (this.#awaySince) return
    this.#awaySince = new Date()
    this.log(`Cluster ${this.name} does not answer: ${statusOf(error)?.message ?? (error as Error)?.message ?? error}`)
  }

  async #try(object: ManifestObject, signal: AbortSignal): Promise<Client.KubernetesObject> {
    signal.throwIfAborted()
    try {
      return await this.#put(object)
    } catch (error) {
      throw refusalOf(error, `${object.kind} ${object.metadata?.name}`, this.name)
    }
  }

  #put(object: ManifestObject, dryRun?: 'All'): Promise<Client.KubernetesObject> {
    const { kind, metadata } = object
    return this.#call(dryRun ? 'check' : 'apply', kind, metadata?.namespace, () =>
      applyObject(this.config, object, { fieldManager: FIELD_MANAGER, dryRun }),
    )
  }

  #call<T>(verb: string, kind: string | undefined, namespace: string | undefined, work: () => Promise<T>): Promise<T> {
    const attributes = { 'k8s.cluster.name': this.name, 'k8s.namespace.name': namespace }
    return inSpan(`kubernetes ${verb} ${kind}`, { kind: 'client', attributes }, work)
  }

  async #list<T extends Client.KubernetesObject>(
    apiVersion: string,
    kind: string,
    namespace: string,
    selector: string,
  ): Promise<T[]> {
    const none = undefined
    try {
      const { items } = await this.#call('list', kind, namespace, () =>
        this.#objects.list<T>(apiVersion, kind, namespace, none, none, none, none, selector),
      )
      return items
    } catch (error) {
      // An account that may not see Jobs has made none.
      if (kind === 'Job' && statusOf(error)?.code === 403) return []
      throw error
    }
  }

  async #delete(object: Client.KubernetesObject, graceSeconds?: number): Promise<void> {
    try {
      await this.#call('delete', object.kind, object.metadata?.namespace, () =>
        this.#objects.delete(object, undefined, undefined, graceSeconds, undefined, 'Background'),
      )
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
}

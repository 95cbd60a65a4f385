import type * as Client from '@kubernetes/client-node'
import type { CoreV1Event, V1Deployment, V1Pod } from '@kubernetes/client-node'
import type { Follower } from './cluster'
import { JOB_NAME, LABELS } from './names'
import { PodLogs } from './pod-logs'
import { isReady } from './pod-status'

const AGAIN_MS = 2000
/** How often events are read while something is not ready. They have no labels to watch them by. */
const EVENTS_MS = 3000

type Followed = { labels: Record<string, string>; follower: Follower; logs: PodLogs; events: CoreV1Event[] }
type Kind = 'pods' | 'deployments'

/** Watches the pods and deployments of one namespace for all revisions in it: two connections, however many there are. */
export class NamespaceWatch {
  readonly #followed = new Set<Followed>()
  readonly #objects = { pods: new Map<string, V1Pod>(), deployments: new Map<string, V1Deployment>() }
  readonly #synced = new Set<Kind>()
  readonly #informers: { stop(): Promise<void> }[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  #events: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    private readonly client: typeof Client,
    private readonly config: Client.KubeConfig,
    private readonly namespace: string,
    private readonly selector: string,
    private readonly on: { reached(): void; failed(error: unknown): void },
  ) {
    const core = config.makeApiClient(client.CoreV1Api)
    const apps = config.makeApiClient(client.AppsV1Api)
    const query = { namespace, labelSelector: selector }
    this.#watch<V1Pod>('pods', `/api/v1/namespaces/${namespace}/pods`, () => core.listNamespacedPod(query))
    this.#watch<V1Deployment>('deployments', `/apis/apps/v1/namespaces/${namespace}/deployments`, () =>
      apps.listNamespacedDeployment(query),
    )
    this.#events = setInterval(() => void this.#readEvents(core), EVENTS_MS)
  }

  get isUnused(): boolean {
    return this.#followed.size === 0
  }

  follow(labels: Record<string, string>, since: Date | undefined, follower: Follower): () => void {
    const log = new this.client.Log(this.config)
    const logs = new PodLogs(
      log,
      since,
      (line) => follower.onLine(line),
      (of) => follower.onRead?.(of),
    )
    const followed: Followed = { labels, follower, logs, events: [] }
    this.#followed.add(followed)
    if (this.#synced.size === 2) queueMicrotask(() => this.#tell(followed))
    return () => {
      logs.close()
      this.#followed.delete(followed)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#events)
    for (const timer of this.#timers) clearTimeout(timer)
    for (const { logs } of this.#followed) logs.close()
    await Promise.all(this.#informers.map((informer) => informer.stop()))
  }

  #watch<T extends V1Pod | V1Deployment>(
    kind: Kind,
    path: string,
    list: () => Promise<Client.KubernetesListObject<T>>,
  ) {
    const objects = this.#objects[kind] as Map<string, T>
    const listed = async () => {
      const found = await list()
      // Deletions that a broken connection hid.
      const there = new Set(found.items.map((item) => item.metadata?.uid))
      for (const [uid, item] of objects) if (!there.has(uid)) gone(item)
      for (const item of found.items) objects.set(item.metadata?.uid ?? '', item)
      this.#synced.add(kind)
      this.on.reached()
      queueMicrotask(() => this.#tellAll())
      return found
    }
    const gone = (item: T) => {
      objects.delete(item.metadata?.uid ?? '')
      if (kind === 'pods') for (const { logs } of this.#followed) logs.forget(item.metadata?.uid ?? '')
      this.#tellAbout(item)
    }
    const informer = this.client.makeInformer<T>(this.config, path, listed, this.selector)
    const change = (item: T) => {
      this.on.reached()
      objects.set(item.metadata?.uid ?? '', item)
      this.#tellAbout(item)
    }
    informer.on('add', change)
    informer.on('update', change)
    informer.on('delete', gone)
    informer.on('error', (error) => {
      if (this.#isClosed) return
      this.on.failed(error)
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        void informer.start()
      }, AGAIN_MS)
      this.#timers.add(timer)
    })
    this.#informers.push(informer)
    void informer.start()
  }

  async #readEvents(core: Client.CoreV1Api): Promise<void> {
    const unready = [...this.#followed].filter(
      (one) => JOB_NAME in one.labels || this.#podsOf(one).some((pod) => !isReady(pod)),
    )
    if (!unready.length) return
    const fieldSelector = 'type=Warning'
    const { items } = await core.listNamespacedEvent({ namespace: this.namespace, fieldSelector }).catch(() => ({
      items: [] as CoreV1Event[],
    }))
    for (const one of unready) {
      const uids = new Set(this.#podsOf(one).map((pod) => pod.metadata?.uid))
      const job = one.labels[JOB_NAME]
      one.events = items.filter(
        ({ involvedObject: { kind, name, uid } }) =>
          (kind === 'Pod' && uids.has(uid)) || (kind === 'Job' && job !== undefined && name === job),
      )
      this.#tell(one)
    }
  }

  #tellAbout(item: V1Pod | V1Deployment): void {
    if (this.#synced.size < 2) return
    for (const one of this.#followed) if (matches(item, one.labels)) this.#tell(one)
  }

  #tellAll(): void {
    if (this.#synced.size === 2) for (const one of this.#followed) this.#tell(one)
  }

  #tell(one: Followed): void {
    if (!this.#followed.has(one)) return
    const pods = this.#podsOf(one)
    for (const pod of pods) one.logs.see(pod)
    const deployments = [...this.#objects.deployments.values()].filter((item) => matches(item, one.labels))
    const isQueue = ({ metadata }: V1Deployment) => metadata?.labels?.[LABELS.role] === 'queue'
    const deployment = deployments.find((item) => !isQueue(item))
    one.follower.onChange({ deployment, queue: deployments.find(isQueue), pods, events: one.events })
  }

  #podsOf({ labels }: Followed): V1Pod[] {
    return [...this.#objects.pods.values()].filter((pod) => matches(pod, labels))
  }
}

const matches = ({ metadata }: V1Pod | V1Deployment, labels: Record<string, string>): boolean =>
  Object.entries(labels).every(([key, value]) => metadata?.labels?.[key] === value)

import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {
  AppsV1Api,
  BatchV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  type V1Container,
  type V1ContainerStatus,
  type V1Deployment,
  type V1Job,
  type V1Pod,
  type V1Service,
} from '@kubernetes/client-node'
import { FakeContainer } from './fake-container'
import { joinCluster } from './join-cluster'

const TICK_MS = 150
/** A loopback address that no other process uses: ports are chosen before it is known whether they are free. */
const HOST = ['127', 64 + ((process.pid >> 16) & 63), (process.pid >> 8) & 255, process.pid & 255].join('.')
const FIRST_PORT = 4600

export type FakeNode = {
  namespace: string
  core: CoreV1Api
  /** A loopback address that leads to the ready pods of a service, as a cluster's own network does. */
  addressOf(service: { name: string; namespace: string }): { host: string; port: number }
  /** The port of a ready container that a service leads to. */
  portOf(service: string): number | undefined
  pods(): Promise<V1Pod[]>
  services(): Promise<V1Service[]>
  jobs(): Promise<V1Job[]>
  close(): Promise<void>
}

type Running = {
  pod: V1Pod
  folder: string
  init: FakeContainer[]
  main: FakeContainer[]
  isEnding: boolean
  written: string
}

/**
 * Plays a node of a cluster, with a namespace of its own: it runs the containers of all pods there as local processes,
 * reports their states and serves their logs. It also plays the controllers where there are none: it makes the pods of
 * Deployments and Jobs. The API server is a real one.
 */
export async function startFakeNode(options: {
  /** Absent: the one that KUBECONFIG names. */
  kubeconfig?: string | undefined
  /** Command for containers of our image. */
  program: string
  variables: Record<string, string>
  /** The working folder of each image. */
  images: { get(image: string): string | undefined }
  /** Searched first for the commands that containers name. */
  programs?: string
  /** How long it takes to answer a request for a log, as on a busy node. */
  logsAfterMs?: () => number
}): Promise<FakeNode> {
  const config = new KubeConfig()
  if (options.kubeconfig) config.loadFromFile(options.kubeconfig)
  else config.loadFromDefault()
  const core = config.makeApiClient(CoreV1Api)
  const apps = config.makeApiClient(AppsV1Api)
  const batch = config.makeApiClient(BatchV1Api)
  const objects = KubernetesObjectApi.makeApiClient(config)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-node-'))
  const running = new Map<string, Running>()
  const proxies = new Map<string, { port: number; server: net.Server }>()
  let known: V1Service[] = []
  let nextPort = FIRST_PORT

  const { namespace, address, hasControllers, leave } = await joinCluster(config, (of, response, query) => {
    const found = [...running.values()].find(({ pod }) => pod.metadata?.name === of.pod)
    const container = [...(found?.init ?? []), ...(found?.main ?? [])].find(({ name }) => name === of.container)
    if (!container) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.flushHeaders()
    setTimeout(() => container.sendLog(response, query), options.logsAfterMs?.() ?? 0)
  })

  async function controlDeployment(deployment: V1Deployment, pods: V1Pod[]): Promise<void> {
    const { name = '', uid = '' } = deployment.metadata ?? {}
    const own = pods.filter((pod) => pod.metadata?.ownerReferences?.some((owner) => owner.uid === uid))
    const living = own.filter((pod) => !pod.metadata?.deletionTimestamp)
    const wanted = deployment.spec?.replicas ?? 1
    const { template } = deployment.spec ?? {}
    for (let count = living.length; count < wanted; count += 1)
      await objects.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          ...template?.metadata,
          name: `${name}-${randomUUID().slice(0, 5)}`,
          namespace,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }],
        },
        spec: template?.spec,
      } as never)
  }

  async function controlJob({ metadata, spec }: V1Job, pods: V1Pod[]): Promise<void> {
    const { name = '', uid = '', creationTimestamp } = metadata ?? {}
    const end = Number(creationTimestamp) + (spec?.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000
    const own = pods.filter((pod) => pod.metadata?.ownerReferences?.some((owner) => owner.uid === uid))
    if (Date.now() >= end)
      for (const { metadata: pod } of own)
        if (!pod?.deletionTimestamp)
          await core.deleteNamespacedPod({ name: pod?.name ?? '', namespace, gracePeriodSeconds: 0 })
    if (own.length || Date.now() >= end) return
    const { template } = spec ?? {}
    await objects.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template?.metadata,
        labels: { ...template?.metadata?.labels, 'batch.kubernetes.io/job-name': name },
        name: `${name}-${randomUUID().slice(0, 5)}`,
        namespace,
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
      },
      spec: template?.spec,
    } as never)
  }

  async function runPod(pod: V1Pod): Promise<Running> {
    const place = path.join(folder, pod.metadata?.name ?? '')
    const volumes = new Map<string, string>()
    const paths = new Map<string, string>()
    for (const volume of pod.spec?.volumes ?? []) {
      const where = path.join(place, volume.name)
      mkdirSync(where, { recursive: true })
      volumes.set(volume.name, where)
    }
    for (const { volumeMounts } of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])])
      for (const { name, mountPath } of volumeMounts ?? [])
        if (mountPath !== '/tmp') paths.set(mountPath, volumes.get(name) ?? '')
    // No container of this node has a file system of its own, so its paths lead elsewhere.
    const longestFirst = [...paths].sort(([a], [b]) => b.length - a.length)
    const moved = (text: string) => longestFirst.reduce((all, [from, to]) => all.replaceAll(from, to), text)
    const secretOf = async (name: string) => {
      const { data = {} } = await core.readNamespacedSecret({ name, namespace })
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
      )
    }
    for (const { name, secret } of pod.spec?.volumes ?? [])
      if (secret?.secretName)
        for (const { key, path: file } of secret.items ?? [])
          writeFileSync(path.join(volumes.get(name) ?? '', file), moved((await secretOf(secret.secretName))[key] ?? ''))
    const isOnce = pod.spec?.restartPolicy === 'Never'
    const containerOf = async (container: V1Container, isInit: boolean) => {
      const messageFile = path.join(place, `message-${container.name}`)
      const text = (part: string) => moved(part).replaceAll('/dev/termination-log', messageFile)
      const { command, args } = container
      const env: Record<string, string> = { ...options.variables }
      if (command && options.programs) env.PATH = `${options.programs}:${process.env.PATH}`
      for (const { name, value, valueFrom } of container.env ?? []) {
        const reference = valueFrom?.secretKeyRef
        env[name] = reference ? ((await secretOf(reference.name ?? ''))[reference.key] ?? '') : moved(value ?? '')
      }
      return new FakeContainer({
        name: container.name,
        image: container.image ?? '',
        command: command
          ? ([...command, ...(args ?? [])].map(text) as [string, ...string[]])
          : [process.execPath, options.program, ...(args ?? ['serve'])],
        isOnce,
        messageFile,
        cwd: options.images.get(container.image ?? ''),
        env,
        isInit: isInit || isOnce,
      })
    }
    const one: Running = { pod, folder: place, init: [], main: [], isEnding: false, written: '' }
    for (const container of pod.spec?.initContainers ?? []) one.init.push(await containerOf(container, true))
    for (const container of pod.spec?.containers ?? []) one.main.push(await containerOf(container, false))
    return one
  }

  async function keepPod(one: Running): Promise<void> {
    const { name = '', deletionTimestamp } = one.pod.metadata ?? {}
    if (deletionTimestamp && !one.isEnding) {
      one.isEnding = true
      const graceMs = (one.pod.metadata?.deletionGracePeriodSeconds ?? 30) * 1000
      void Promise.all([...one.init, ...one.main].map((container) => container.stop(graceMs))).then(async () => {
        await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 }).catch(() => {})
      })
    }
    if (!one.isEnding) {
      const waiting = one.init.find((container) => !container.hasSucceeded)
      if (waiting)
        waiting.keep() // does nothing once it has failed for good
      else for (const container of one.main) container.keep()
    }
    const isReady = !one.isEnding && one.main.every((container) => container.isReady)
    const status = {
      phase: phaseOf(one),
      podIP: address,
      startTime: one.pod.metadata?.creationTimestamp,
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: isReady ? 'True' : 'False' },
      ],
      initContainerStatuses: one.init.map((container) => container.status as V1ContainerStatus),
      containerStatuses: one.main.map((container) => container.status as V1ContainerStatus),
    }
    const text = JSON.stringify(status)
    if (text === one.written) return
    one.written = text
    await core
      .patchNamespacedPodStatus({ name, namespace, body: [{ op: 'add', path: '/status', value: status }] })
      .catch(() => {
        one.written = ''
      })
  }

  const phaseOf = ({ init, main }: Running) => {
    if ([...init, ...main].some((container) => container.hasFailed)) return 'Failed'
    if (main.every((container) => container.hasSucceeded)) return 'Succeeded'
    return main.some((container) => container.hasStarted) ? 'Running' : 'Pending'
  }

  let isClosed = false
  const tick = async () => {
    const { items: pods } = await core.listNamespacedPod({ namespace })
    const { items: deployments } = await apps.listNamespacedDeployment({ namespace })
    known = (await core.listNamespacedService({ namespace })).items
    const { items: jobs } = await batch.listNamespacedJob({ namespace })
    if (!hasControllers) {
      for (const deployment of deployments) await controlDeployment(deployment, pods)
      for (const job of jobs) await controlJob(job, pods)
    }
    const owners = new Set([...deployments, ...jobs].map(({ metadata }) => metadata?.uid))
    for (const pod of pods) {
      const uid = pod.metadata?.uid ?? ''
      const isOrphan = !hasControllers && !pod.metadata?.ownerReferences?.some((owner) => owners.has(owner.uid))
      if (isOrphan && !pod.metadata?.deletionTimestamp)
        await core.deleteNamespacedPod({ name: pod.metadata?.name ?? '', namespace }).catch(() => {})
      const one = running.get(uid) ?? (await runPod(pod).catch(() => undefined))
      if (!one) continue
      running.set(uid, one)
      one.pod = pod
      await keepPod(one)
    }
    const there = new Set(pods.map((pod) => pod.metadata?.uid))
    for (const [uid, one] of running)
      if (!there.has(uid)) {
        running.delete(uid)
        await Promise.all([...one.init, ...one.main].map((container) => container.stop(0)))
        rmSync(one.folder, { recursive: true, force: true })
      }
  }
  const work = (async () => {
    while (!isClosed) {
      await tick().catch((error: Error) => {
        if (!isClosed) console.error(`fake node: ${error.message}`)
      })
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
  })()

  /** A ready container that a service leads to. */
  const portOf = (service: string): number | undefined => {
    const selector = known.find(({ metadata }) => metadata?.name === service)?.spec?.selector
    if (!selector) return undefined
    const ready = [...running.values()].filter(
      ({ pod, main, isEnding }) =>
        !isEnding &&
        main.every((container) => container.isReady) &&
        Object.entries(selector).every(([key, value]) => pod.metadata?.labels?.[key] === value),
    )
    return ready[Math.floor(Math.random() * ready.length)]?.main[0]?.port
  }

  return {
    namespace,
    core,
    portOf,
    addressOf({ name }) {
      let proxy = proxies.get(name)
      if (!proxy) {
        const server = net.createServer((socket) => {
          const port = portOf(name)
          if (!port) return socket.destroy()
          const upstream = net.connect(port, '127.0.0.1')
          socket.pipe(upstream).pipe(socket)
          for (const one of [socket, upstream])
            one.on('error', () => {
              socket.destroy()
              upstream.destroy()
            })
        })
        proxy = { port: nextPort, server }
        nextPort += 1
        server.listen(proxy.port, HOST)
        proxies.set(name, proxy)
      }
      return { host: HOST, port: proxy.port }
    },
    pods: async () => (await core.listNamespacedPod({ namespace })).items,
    jobs: async () => (await batch.listNamespacedJob({ namespace })).items,
    services: async () => (await core.listNamespacedService({ namespace })).items,
    async close() {
      await leave()
      isClosed = true
      await work
      for (const one of running.values())
        await Promise.all([...one.init, ...one.main].map((container) => container.stop(0)))
      for (const { server } of proxies.values()) server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

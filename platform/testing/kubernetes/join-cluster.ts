import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AdmissionregistrationV1Api, CoreV1Api, type KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node'

const LOOK_MS = 150
const LIMIT_MS = 60_000
/** A cluster gives up a silent node within a minute. */
const HEARTBEAT_MS = 10_000
/** What a test may leave. Pods go with their owners. */
const KINDS = [
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['v1', 'Service'],
  ['v1', 'Secret'],
] as const

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  let cause: unknown
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(LOOK_MS))
    try {
      if (await isSo()) return
    } catch (error) {
      cause = error
    }
  throw new Error(`Not within ${LIMIT_MS} ms: ${what}`, { cause })
}

/** This machine's address in the network that leads to a server. */
async function addressToward(server: string): Promise<string> {
  const { hostname, port } = new URL(server)
  const socket = net.connect({ host: hostname, port: Number(port) || 443, family: 4 })
  await once(socket, 'connect')
  const { localAddress = '' } = socket
  socket.destroy()
  return localAddress
}

/** A certificate that is its own authority. */
function certificateFor(address: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-certificate-'))
  const file = (name: string) => path.join(folder, name)
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=pilothouse-test', '-addext', `subjectAltName=IP:${address}`]
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', file('key'), '-out', file('cert')], { stdio: 'pipe' })
  const made = { key: readFileSync(file('key')), cert: readFileSync(file('cert')) }
  rmSync(folder, { recursive: true })
  return made
}

export type Joined = {
  /** Also the name of the node. */
  namespace: string
  address: string
  /** Whether the cluster makes the pods of Deployments and Jobs itself. */
  hasControllers: boolean
  /** Removes everything from the cluster. The pods have to be ended meanwhile. */
  leave(): Promise<void>
}

/** Adds a node to a cluster, and a namespace whose pods all come to it. No other pod does. */
export async function joinCluster(
  config: KubeConfig,
  sendLog: (of: { pod: string; container: string }, response: ServerResponse, query: URLSearchParams) => void,
): Promise<Joined> {
  const core = config.makeApiClient(CoreV1Api)
  const admission = config.makeApiClient(AdmissionregistrationV1Api)
  const objects = KubernetesObjectApi.makeApiClient(config)
  const name = `pilothouse-test-${randomUUID().slice(0, 8)}`
  const address = await addressToward(config.getCurrentCluster()?.server ?? '')
  const { key, cert } = certificateFor(address)

  const kubelet = https.createServer({ key, cert }, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://node')
    if (pathname !== '/admit') {
      const [, kind, , pod = '', container = ''] = pathname.split('/')
      return kind === 'containerLogs'
        ? sendLog({ pod, container }, response, searchParams)
        : response.writeHead(404).end()
    }
    const { apiVersion, kind, request: asked } = JSON.parse(await text(request))
    const patch = btoa(JSON.stringify([{ op: 'add', path: '/spec/nodeName', value: name }]))
    const answer = { apiVersion, kind, response: { uid: asked.uid, allowed: true, patchType: 'JSONPatch', patch } }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  kubelet.listen(0, address)
  await once(kubelet, 'listening')
  const { port } = kubelet.address() as AddressInfo

  const beat = () => {
    const value = {
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date() }],
    }
    return core.patchNodeStatus({ name, body: [{ op: 'add', path: '/status', value }] })
  }
  const heart = setInterval(() => void beat().catch(() => {}), HEARTBEAT_MS)
  const withdraw = async () => {
    clearInterval(heart)
    await Promise.allSettled([
      core.deleteNamespace({ name }),
      core.deleteNode({ name }),
      admission.deleteMutatingWebhookConfiguration({ name }),
    ])
    kubelet.closeAllConnections()
    kubelet.close()
  }

  try {
    await admission.createMutatingWebhookConfiguration({
      body: {
        metadata: { name },
        webhooks: [
          {
            name: 'node.pilothouse.dev',
            clientConfig: { url: `https://${address}:${port}/admit`, caBundle: cert.toString('base64') },
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
          },
        ],
      },
    })
    // Unschedulable: pods of others stay away.
    await core.createNode({ body: { metadata: { name }, spec: { unschedulable: true } } })
    await beat()
    await core.createNamespace({ body: { metadata: { name } } })
    const body = { metadata: { name: 'probe' }, spec: { containers: [{ name: 'a', image: 'a' }] } }
    await until('pods come to the node', async () => {
      const pod = await core.createNamespacedPod({ namespace: name, dryRun: 'All', body })
      return pod.spec?.nodeName === name
    })
  } catch (error) {
    await withdraw()
    throw error
  }
  // Controllers give each namespace an account, and no pod is admitted before.
  const { items: accounts } = await core.listNamespacedServiceAccount({ namespace: name })
  const hasControllers = accounts.length > 0

  return {
    namespace: name,
    address,
    hasControllers,
    async leave() {
      await core.deleteNamespace({ name })
      if (!hasControllers)
        for (const [apiVersion, kind] of KINDS)
          for (const { metadata = {} } of (await objects.list(apiVersion, kind, name)).items)
            await objects.delete({ apiVersion, kind, metadata })
      await until('no pod is left', async () => !(await core.listNamespacedPod({ namespace: name })).items.length)
      if (!hasControllers)
        await core.replaceNamespaceFinalize({ name, body: { metadata: { name }, spec: { finalizers: [] } } })
      await until('the namespace is gone', async () => {
        const { items } = await core.listNamespace({ fieldSelector: `metadata.name=${name}` })
        return !items.length
      })
      await withdraw()
    },
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { waitFor } from '../../testing/platform-fixture'
import { testFolder } from '../../testing/test-folder'
import type { Cluster } from './cluster'
import { openKubernetesCluster } from './kubernetes-cluster'
import type { ManifestObject } from './manifests'

const root = path.resolve(import.meta.dirname, '../../..')
const KINDS: Record<string, string> = {
  services: 'Service',
  secrets: 'Secret',
  pods: 'Pod',
  deployments: 'Deployment',
  replicasets: 'ReplicaSet',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
  poddisruptionbudgets: 'PodDisruptionBudget',
  jobs: 'Job',
}
const LABELS = { 'pilothouse.dev/revision': 'one' }
const metadata = { name: 'one', namespace: 'agents', uid: 'u', labels: LABELS }
const POD = {
  metadata,
  status: { containerStatuses: [{ name: 'agent', containerID: 'containerd://1', state: { running: {} } }] },
}

/** Requests as rules name them: `apps deployments list`. */
const asked = new Set<string>()
let hasPods = true
/** An API server with one object of each kind, which remembers what it was asked. */
const server = http.createServer((request, response) => {
  request.resume()
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://cluster')
  const answer = (body: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  const [, group = '', version, resource, name, sub] =
    /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/agents\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?)?$/.exec(pathname) ??
    []
  if (!resource)
    return void answer({ resources: Object.entries(KINDS).map(([name, kind]) => ({ name, kind, namespaced: true })) })
  const note = (...verbs: string[]) => {
    for (const verb of verbs) asked.add(`${group} ${sub ? `${resource}/${sub}` : resource} ${verb}`.trim())
  }
  // An object that is applied may be new.
  if (request.method === 'PATCH') note('create', 'patch')
  else if (request.method === 'DELETE') note('delete')
  else if (name) note('get')
  else if (searchParams.has('watch')) return note('watch')
  else note('list')
  if (request.method === 'DELETE' && resource === 'pods') hasPods = false
  if (sub) return void response.end('2026-01-01T00:00:00Z a line\n')
  if (request.method !== 'GET') return void answer({ metadata })
  const items =
    resource === 'events' || (resource === 'pods' && !hasPods) ? [] : [resource === 'pods' ? POD : { metadata }]
  answer({ kind: 'List', apiVersion: [group, version].filter(Boolean).join('/'), metadata: {}, items })
})
const folder = testFolder()
let cluster: Cluster

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const kubeconfig = path.join(folder.path, 'kubeconfig')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clusters = [{ name: 't', cluster: { server: address, 'insecure-skip-tls-verify': true } }]
  const contexts = [{ name: 't', context: { cluster: 't', user: 't' } }]
  writeFileSync(
    kubeconfig,
    JSON.stringify({ clusters, contexts, users: [{ name: 't', user: {} }], 'current-context': 't' }),
  )
  cluster = await openKubernetesCluster({ kubeconfig, log: () => {} })
})
afterAll(async () => {
  await cluster.close()
  server.closeAllConnections()
  server.close()
  folder.remove()
})

const object = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata }) as ManifestObject
const service = object('v1', 'Service')
const owned = [
  object('v1', 'Secret'),
  service,
  object('autoscaling/v2', 'HorizontalPodAutoscaler'),
  object('policy/v1', 'PodDisruptionBudget'),
]

test('the roles of the charts allow what is asked of a cluster, and nothing else', async () => {
  const { signal } = new AbortController()
  const deployment = object('apps/v1', 'Deployment')
  await cluster.check({ owner: deployment, owned } as Parameters<Cluster['check']>[0])
  await cluster.apply({ owner: deployment, owned } as Parameters<Cluster['apply']>[0], signal)
  await cluster.apply({ owner: object('batch/v1', 'Job'), owned: [] } as Parameters<Cluster['apply']>[0], signal)
  await cluster.pointService(service as Parameters<Cluster['pointService']>[0], signal)
  await cluster.valuesOf(['agents'], LABELS, 'pilothouse.dev/revision')
  const unfollow = cluster.follow('agents', LABELS, undefined, { onChange() {}, onLine() {} })
  const isAsked = (...requests: string[]) => requests.every((one) => asked.has(one))
  await waitFor('the pod is followed', () =>
    isAsked('pods watch', 'apps deployments watch', 'pods/log get', 'events list'),
  )
  await cluster.remove('agents', LABELS, { isForced: true })
  unfollow()

  for (const chart of ['pilothouse', 'pilothouse-listener']) {
    const rules = parse(readFileSync(path.join(root, 'deploy/helm', chart, 'role.yaml'), 'utf8')) as {
      apiGroups: string[]
      resources: string[]
      verbs: string[]
    }[]
    const allowed = rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((one) => verbs.map((verb) => `${group} ${one} ${verb}`.trim()))),
    )
    expect(allowed.sort()).toEqual([...asked].sort())
  }
})

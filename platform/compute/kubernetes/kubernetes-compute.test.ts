import { KubeConfig, PolicyV1Api } from '@kubernetes/client-node'
import { describe, expect, test } from 'vitest'
import { apiServerWorld, missingApiServer } from '../../testing/kubernetes/world'
import { createBody, graphFiles } from '../../testing/platform-fixture'
import { computeConformance } from '../testing'

const missing = missingApiServer()

// A real kube-apiserver and etcd; the nodes and controllers are played.
describe.skipIf(missing)(`a real API server of Kubernetes${missing ? `: ${missing}` : ''}`, () => {
  let world: Awaited<ReturnType<typeof apiServerWorld>>
  const fixture = computeConformance(async () => {
    world = await apiServerWorld()
    const { node, server } = world
    return {
      options: {
        drainMs: 2000,
        readyTimeoutMs: 60_000,
        kubernetes: {
          kubeconfig: server.kubeconfig,
          namespaces: [node.namespace],
          image: 'pilothouse-agent:test',
          addressOf: (service) => node.addressOf(service),
          readsLocalRepositories: true,
        },
      },
      async source(of, name, files) {
        const repository = of.repository(name)
        repository.commit(files)
        return {
          body: createBody(name, repository.url),
          change: async (changed) => void repository.commit(changed),
        }
      },
      outlivesPlatform: true,
      close: () => world.close(),
    }
  })

  test('nothing is left in the cluster, and a listener of type k8s with its namespace is listed', async () => {
    expect([await world.node.pods(), await world.node.services()]).toEqual([[], []])
    const { body } = await fixture().client.get('/v2/listeners')
    expect(body.resources).toMatchObject([
      { compute_type: 'k8s', compute_id: 'this-cluster', compute_config: { k8s_namespaces: [world.node.namespace] } },
    ])
  })

  test('what the cluster would refuse is refused at create, with its place', async () => {
    const { client } = fixture()
    const { body: listeners } = await client.get('/v2/listeners')
    const create = (resource_spec: unknown, k8s_namespace: string | null = null) =>
      client.request('POST', '/v2/deployments', {
        name: 'refused',
        source: 'external_docker',
        source_config: { listener_id: listeners.resources[0].id, resource_spec, listener_config: { k8s_namespace } },
        source_revision_config: { image_uri: 'registry.example.com/agent:1' },
        secrets: [],
      })
    const place = ['body', 'source_config', 'resource_spec']
    const ours = await create({ db_cpu: 1 })
    expect([ours.status, ours.body.detail[0].loc]).toEqual([422, [...place, 'db_cpu']])
    const theirs = await create({ volumes: [{ name: 'a', emptyDir: { sizeLimit: 'much' } }] })
    expect([theirs.status, theirs.body.detail?.[0].loc.slice(0, 3)]).toEqual([422, place])
    expect(theirs.body.detail[0].msg).toMatch(/^The cluster refuses it: quantities must match/)
    const unknown = await create({ volumes: [{ name: 'a', emptyDir: { nonsense: 1 } }] })
    expect([unknown.status, unknown.body.detail?.[0].msg]).toEqual([422, expect.stringContaining('nonsense')])
    const elsewhere = await create({}, 'kube-system')
    expect([elsewhere.status, elsewhere.body.detail?.[0].loc.at(-1)]).toEqual([422, 'k8s_namespace'])
    const deep = await create({
      sidecars: [{ name: 'a', image: 'x', env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'nowhere' } } }] }],
    })
    expect([deep.status, deep.body.detail?.[0].loc.slice(0, 7)]).toEqual([422, [...place, 'sidecars', 0, 'env', 0]])
  })

  test('a revision with several pods has a disruption budget, which goes with it', async () => {
    const { client } = fixture()
    const config = new KubeConfig()
    if (world.server.kubeconfig) config.loadFromFile(world.server.kubeconfig)
    else config.loadFromDefault()
    const policy = config.makeApiClient(PolicyV1Api)
    const { namespace } = world.node
    const budgets = async () => (await policy.listNamespacedPodDisruptionBudget({ namespace })).items
    const { body: listeners } = await client.get('/v2/listeners')
    const { body } = await client.request('POST', '/v2/deployments', {
      name: 'several',
      source: 'external_docker',
      source_config: { listener_id: listeners.resources[0].id, resource_spec: { min_scale: 2 } },
      source_revision_config: { image_uri: world.image(graphFiles()).uri },
      secrets: [],
    })
    await expect.poll(budgets, { timeout: 30_000 }).toMatchObject([
      {
        metadata: { ownerReferences: [{ kind: 'Deployment' }] },
        spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      },
    ])
    await client.request('DELETE', `/v2/deployments/${body.id}`)
    await expect.poll(budgets, { timeout: 60_000 }).toEqual([])
  })
})

import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { missingApiServer, startApiServer } from '../../testing/kubernetes/api-server'
import { startFakeNode } from '../../testing/kubernetes/fake-node'
import { createBody, STAND_IN_AGENT } from '../../testing/platform-fixture'
import { computeConformance } from '../testing'

const missing = missingApiServer()

// A real kube-apiserver and etcd; the nodes and controllers are played.
describe.skipIf(missing)(`a real API server of Kubernetes${missing ? `: ${missing}` : ''}`, () => {
  const world = { node: undefined as Awaited<ReturnType<typeof startFakeNode>> | undefined }
  const fixture = computeConformance(async () => {
    const server = await startApiServer()
    const node = await startFakeNode({
      ...server,
      program: path.resolve('.build/container.mjs'),
      variables: { PILOTHOUSE_AGENT_SERVER: STAND_IN_AGENT },
    })
    world.node = node
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
      close: async () => {
        await node.close()
        await server.stop()
      },
    }
  })

  test('nothing is left in the cluster, and a listener of type k8s with its namespace is listed', async () => {
    expect([await world.node?.pods(), await world.node?.services()]).toEqual([[], []])
    const { body } = await fixture().client.get('/v2/listeners')
    expect(body.resources).toMatchObject([
      { compute_type: 'k8s', compute_config: { k8s_namespaces: [world.node?.namespace] } },
    ])
  })

  test('what the cluster would refuse is refused at create, with its place', async () => {
    const { client } = fixture()
    const { body: listeners } = await client.get('/v2/listeners')
    const create = (resource_spec: unknown) =>
      client.request('POST', '/v2/deployments', {
        name: 'refused',
        source: 'external_docker',
        source_config: { listener_id: listeners.resources[0].id, resource_spec },
        source_revision_config: { image_uri: 'registry.example.com/agent:1' },
        secrets: [],
      })
    const place = ['body', 'source_config', 'resource_spec']
    const ours = await create({ db_cpu: 1 })
    expect([ours.status, ours.body.detail[0].loc]).toEqual([422, [...place, 'db_cpu']])
    const theirs = await create({ volumes: [{ name: 'a', emptyDir: { sizeLimit: 'much' } }] })
    expect([theirs.status, theirs.body.detail?.[0].loc.slice(0, 3)]).toEqual([422, place])
    const deep = await create({
      sidecars: [{ name: 'a', image: 'x', env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'nowhere' } } }] }],
    })
    expect([deep.status, deep.body.detail?.[0].loc.slice(0, 7)]).toEqual([422, [...place, 'sidecars', 0, 'env', 0]])
  })
})

import { afterAll, describe, expect, test } from 'vitest'
import { apiServerWorld, missingApiServer } from '../../testing/kubernetes/world'
import type { Fixture } from '../../testing/platform-fixture'
import { openKubernetesCluster } from '../kubernetes/kubernetes-cluster'
import { computeConformance } from '../testing'
import { Listener } from './listener'
import { TunnelClient } from './tunnel-client'

const missing = missingApiServer()

describe.skipIf(missing)(`a cluster that a listener joined, real API server${missing ? `: ${missing}` : ''}`, () => {
  const running: { listener: Listener; ended: Promise<void> }[] = []
  let world: Awaited<ReturnType<typeof apiServerWorld>>

  /** Joins the cluster to a platform; again after the platform started on the same address. */
  async function join(fixture: Fixture): Promise<string> {
    const { body } = await fixture.client.request('POST', '/v2/listeners', {
      compute_type: 'k8s',
      compute_id: 'remote',
      compute_config: { k8s_namespaces: [world.node.namespace] },
    })
    const cluster = await openKubernetesCluster({ kubeconfig: world.server.kubeconfig, log: () => {} })
    const listener = new Listener({
      url: fixture.platform.url,
      token: body.token,
      cluster,
      about: { version: '1', agentUrl: 'http://{service}.{namespace}.svc:8000', database: null, hasTunnels: true },
      log: () => {},
    })
    const tunnels = new TunnelClient({
      url: fixture.platform.url,
      token: body.token,
      addressOf: ({ service: name, namespace }) => world.node.addressOf({ name, namespace }),
    })
    void tunnels.run()
    const ended = listener.run().finally(async () => {
      tunnels.stop()
      await cluster.close()
    })
    running.push({ listener, ended })
    return body.id
  }
  afterAll(async () => {
    for (const { listener, ended } of running) {
      listener.stop()
      await ended
    }
  })

  const fixture = computeConformance(async () => {
    world = await apiServerWorld()
    return {
      options: { drainMs: 2000, readyTimeoutMs: 60_000 },
      async source(of, name, files) {
        const listener_id = await join(of)
        const image = world.image(files)
        return {
          body: {
            name,
            source: 'external_docker',
            source_config: { listener_id },
            source_revision_config: { image_uri: image.uri },
          },
          change: async (changed) => image.change(changed),
        }
      },
      outlivesPlatform: true,
      close: () => world.close(),
    }
  })

  test('nothing is left in the cluster', async () => {
    expect([await world.node.pods(), await world.node.services()]).toEqual([[], []])
    expect((await fixture().client.get('/v2/listeners')).body.resources).toHaveLength(2)
  })
})

import { AdmissionregistrationV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { missingApiServer, startApiServer } from './api-server'
import { apiServerWorld } from './world'

// With KUBECONFIG, all tests of a cluster try this.
const missing = process.env.KUBECONFIG ? 'KUBECONFIG is set' : missingApiServer()

describe.skipIf(missing)(`the cluster of KUBECONFIG, real API server${missing ? `: ${missing}` : ''}`, () => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })
  let server: Awaited<ReturnType<typeof startApiServer>>
  beforeAll(async () => {
    server = await startApiServer()
    vi.stubEnv('KUBECONFIG', server.kubeconfig)
    vi.stubEnv('npm_lifecycle_event', 'test:kubernetes')
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await server?.stop()
  })

  /** The names of what tests may make in a cluster. */
  async function contents() {
    const config = new KubeConfig()
    config.loadFromFile(server.kubeconfig)
    const core = config.makeApiClient(CoreV1Api)
    const lists = await Promise.all([
      core.listNamespace(),
      core.listNode(),
      core.listSecretForAllNamespaces(),
      config.makeApiClient(AdmissionregistrationV1Api).listMutatingWebhookConfiguration(),
    ])
    return lists.map(({ items }) => items.map(({ metadata }) => metadata?.name))
  }

  test('is used, and left as it was', async () => {
    await expect.poll(async () => (await contents())[0]).toContain('kube-system')
    const before = await contents()
    const world = await apiServerWorld()
    const { namespace, core } = world.node
    await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'left' } } })
    const [namespaces, nodes, secrets] = await contents()
    expect(namespaces).toContain(namespace)
    expect([nodes, secrets]).toEqual([[namespace], ['left']])
    await world.close()
    expect(await contents()).toEqual(before)
  })
})

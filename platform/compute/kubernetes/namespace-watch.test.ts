import http from 'node:http'
import type { AddressInfo } from 'node:net'
import * as client from '@kubernetes/client-node'
import { expect, test } from 'vitest'
import { NamespaceWatch } from './namespace-watch'
import { type Observation, readRevision } from './pod-status'

/** An API server that lists these objects, and never reports a change. */
async function scriptedApi(objects: Record<string, object[]>) {
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api')
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    if (searchParams.get('watch') === 'true') return
    response.end(
      JSON.stringify({ metadata: { resourceVersion: '1' }, items: objects[pathname.split('/').pop() ?? ''] }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const config = new client.KubeConfig()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  config.loadFromClusterAndUser({ name: 'scripted', server: url, skipTLSVerify: true }, { name: 'nobody' })
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { config, close }
}

test('a revision whose queue has no pods is not ready, and what refuses them is its failure', async () => {
  const meta = (name: string, role: string) => ({ name, uid: name, labels: { a: '1', 'pilothouse.dev/role': role } })
  const message = 'pods "q" is forbidden: exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1'
  const api = await scriptedApi({
    pods: [{ metadata: meta('p', 'api'), status: { conditions: [{ type: 'Ready', status: 'True' }] } }],
    deployments: [
      {
        metadata: meta('q', 'queue'),
        spec: { replicas: 1 },
        status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message }] },
      },
      { metadata: meta('d', 'api'), spec: { replicas: 1 } },
    ],
    events: [],
  })
  const watch = new NamespaceWatch(client, api.config, 'agents', 'a=1', { reached: () => {}, failed: () => {} })
  const seen = await new Promise<Observation>((resolve) => {
    watch.follow({ a: '1' }, undefined, { onChange: resolve, onLine: () => {} })
  })
  expect([seen.deployment?.metadata?.name, seen.queue?.metadata?.name]).toEqual(['d', 'q'])
  expect(readRevision(seen)).toMatchObject({
    ready: 1,
    wanted: 2,
    failure: expect.stringContaining('The quota of the namespace does not allow another pod'),
  })
  await watch.close()
  await api.close()
})

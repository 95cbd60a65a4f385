import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { knownFeatures } from '../upstream/known-features'
import { createListener, readListenerRows, renewToken } from './listeners'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))

// Against control planes that report less than the embedded platform.
const workspace = 'default'
const listener = (name: string) => ({
  ...{ id: `id-${name}`, compute_type: 'k8s', compute_id: name, compute_config: { k8s_namespaces: ['a'] } },
  ...{ version: '1', created_at: '2026-11-20T00:00:00Z', updated_at: '2026-11-20T00:00:00Z' },
})
let stub: StubUpstream
let home: TestConsole
let admin: Actor
beforeAll(async () => {
  stub = await startStubUpstream()
  home = await testConsole({ CONTROL_PLANE_URL: stub.url, CONTROL_PLANE_API_KEY: 'key' })
  admin = await testActor({ default: 'admin' })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})
beforeEach(() => void stub.seen.splice(0))

test('without a word on connections, the state is unknown and deployments are placed by their listener alone', async () => {
  const deployment = { ...deploymentRecord(null), source_config: { listener_id: 'ID-EAST' } }
  const other = { ...deploymentRecord(null), id: `${SAMPLE_ID.slice(0, -1)}f`, name: 'without one' }
  stub.respondWith(({ path }) => ({
    body: { resources: path.startsWith('/v2/listeners') ? [listener('east')] : [deployment, other], offset: 1 },
  }))
  const page = await readListenerRows(workspace, {}, { actor: admin })
  expect(page.counts).toEqual({ away: 0, revoked: 0, never: 0, unknown: 1, connected: 0 })
  expect(page.rows).toMatchObject([{ connection: null, deployments: [{ name: 'demo', isWaiting: false }] }])
  const opened = await readListenerRows(workspace, { id: deployment.source_config.listener_id }, { actor: admin })
  expect(opened.rows).toMatchObject([{ name: 'east' }])
})

test('deployments that cannot be read are unknown, and the listeners are listed', async () => {
  stub.respondWith(({ path }) =>
    path.startsWith('/v2/listeners')
      ? { body: { resources: [listener('east')], offset: 1 } }
      : { status: 500, body: { detail: 'It broke.' } },
  )
  // The reading of the test before is too old then.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  const page = await readListenerRows(workspace, {}, { actor: admin }).finally(() => vi.useRealTimers())
  expect(page).toMatchObject({ waiting: null, rows: [{ name: 'east', deployments: null }] })
})

test('3,000 listeners are read to the end and shown in pages, and a server without pages ends too', async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => listener(`l-${index}`))
  let isPaged = true
  stub.respondWith(({ path }) => {
    if (!path.startsWith('/v2/listeners')) return { body: { resources: [], offset: 0 } }
    const offset = isPaged ? Number(new URL(path, stub.url).searchParams.get('offset')) : 0
    return { body: { resources: many.slice(offset, offset + 100), offset: offset + 100 } }
  })
  const page = await readListenerRows(workspace, { limit: '50', offset: '2950' }, { actor: admin })
  expect(page.total).toBe(3_000)
  expect([page.rows[0]?.name, page.rows.length]).toEqual(['l-2950', 50])
  expect((await readListenerRows(workspace, { q: 'L-2999' }, { actor: admin })).rows).toHaveLength(1)
  isPaged = false
  expect((await readListenerRows(workspace, {}, { actor: admin })).total).toBe(100)
})

test('a plan without listeners is told plainly, and a listener without a token has none', async () => {
  const create = () => createListener({ workspace, name: 'east', namespaces: [] }, admin)
  stub.respondWith(() => ({ status: 403, body: { detail: 'Your organization is not enterprise.' } }))
  await expect(create()).rejects.toThrow(
    "The control plane did not allow this: Your organization is not enterprise. Either its plan has no listeners, or the workspace's API key may not change them.",
  )
  stub.respondWith(() => ({ status: 201, body: listener('east') }))
  expect(await create()).toEqual({ id: 'id-east', namespaces: ['a'], given: null })
  expect(JSON.parse(stub.seen.at(-1)?.body ?? '')).toEqual({
    ...{ compute_type: 'k8s', compute_id: 'east', compute_config: { k8s_namespaces: null } },
  })
})

test('a control plane without tokens still has listeners', async () => {
  stub.respondWith(({ path }) =>
    path.endsWith('/token') ? { status: 404, body: { detail: 'Not Found' } } : { body: listener('east') },
  )
  await expect(renewToken({ workspace, id: 'id-east' }, admin)).rejects.toThrow(
    'This control plane does not offer tokens for listeners (it responded with status 404).',
  )
  expect(knownFeatures({ workspace }).get('listeners')?.state).not.toBe('no')
  expect(knownFeatures({ workspace }).get('listenerTokens')?.state).toBe('no')
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { insertWorkspace, NewWorkspace, withStoredKeys } from '../access/workspace-settings'
import { type TestConsole, testConsole } from '../testing'
import { askAgentServer, askControlPlane } from './connection-test'

let home: TestConsole
let upstream: StubUpstream

beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole()
  const saved = { kind: 'control-plane', slug: 'saved', name: 'Saved', dialect: 'auto', allowedOrigins: [] }
  await insertWorkspace(NewWorkspace.parse({ ...saved, baseUrl: upstream.url, keys: { apiKey: 'stored' } }))
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  upstream.seen.length = 0
})

const draft = (more: object = {}) => ({ baseUrl: upstream.url, dialect: 'auto' as const, auth: {}, ...more })

test('a control plane is requested below its address, with the entered keys', async () => {
  upstream.respondWith(() => ({ body: { resources: [deploymentRecord(null)], offset: 1 } }))
  const found = await askControlPlane(
    draft({ baseUrl: `${upstream.url}/api-host/v2/`, auth: { apiKey: 'entered-key', tenantId: 'tenant-7' } }),
    'r',
  )
  expect(found).toMatchObject({ hasDeployments: true })
  expect(upstream.seen.map(({ path, headers }) => [path, headers['x-api-key'], headers['x-tenant-id']])).toEqual([
    ['/api-host/v2/deployments?limit=1&offset=0', 'entered-key', 'tenant-7'],
  ])
})

test('stored keys are used for the same origin only, and never instead of entered ones', async () => {
  const keys = async (more: object) =>
    (await withStoredKeys({ slug: 'saved', dialect: 'auto', baseUrl: upstream.url, ...more })).auth
  expect(await keys({})).toEqual({ apiKey: 'stored' })
  expect(await keys({ baseUrl: 'http://127.0.0.1:1' })).toEqual({})
  expect(await keys({ keys: { bearer: 'entered' } })).toEqual({ bearer: 'entered' })
})

test('an address without a control plane fails with the path it must serve', async () => {
  upstream.respondWith(() => ({ status: 404, body: 'Not Found' }))
  expect((await failure(askControlPlane(draft(), 'r'))).view.message).toContain(
    'it must serve GET /v2/deployments below it',
  )
  upstream.respondWith(() => ({ headers: { 'content-type': 'text/html' }, body: '<html>' }))
  expect((await failure(askControlPlane(draft(), 'r'))).view.message).toContain(
    'Check that this is the address of the control plane',
  )
  upstream.respondWith(() => ({ status: 401, body: { detail: 'no' } }))
  expect(await failure(askControlPlane(draft(), 'r'))).toMatchObject({ code: 'upstream_refused_key' })
})

test('an agent server reports its version and known defects, and its key is tried where it matters', async () => {
  const info = { version: '2.0.0', context: 'js', flags: {} }
  upstream.respondWith(({ path }) => ({ body: path.endsWith('/info') ? info : [] }))
  const found = await askAgentServer({ url: upstream.url, apiKey: 'entered-key' }, 'r')
  expect(found).toMatchObject({ version: '2.0.0', runtime: 'JavaScript' })
  expect(found.defects.map(({ id }) => id)).toEqual([
    'values-with-subgraphs',
    'kept-context',
    'failed-after-cancel',
    'store-by-namespace',
  ])
  expect(upstream.seen.at(-1)).toMatchObject({ path: '/assistants/search', headers: { 'x-api-key': 'entered-key' } })
  upstream.respondWith(({ path }) => (path.endsWith('/info') ? { body: info } : { status: 403, body: '' }))
  expect(await failure(askAgentServer({ url: upstream.url }, 'r'))).toMatchObject({ code: 'upstream_refused_key' })
})

test('an agent server without /info is recognized by its assistants', async () => {
  upstream.respondWith(({ path }) => (path.endsWith('/info') ? { status: 404, body: 'Not Found' } : { body: [] }))
  expect(await askAgentServer({ url: upstream.url }, 'r')).toEqual({ version: null, runtime: null, defects: [] })
  upstream.respondWith(() => ({ status: 404, body: 'Not Found' }))
  expect((await failure(askAgentServer({ url: upstream.url }, 'r'))).view.message).toContain('POST /assistants/search')
})

import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ResourceSpecView } from '@/lib/contracts/deployments/resource-spec-view'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { printJson } from '@/lib/json/lossless'
import type { Actor } from '@/lib/server/access/actor'
import { readResourceSpec } from '@/lib/server/edits/read-resource-spec'
import { signIn, type TestConsole, testActor, testConsole } from '@/lib/server/testing'
import { LISTENER_ID } from '@/platform/control-plane/platform'
import { ImageStore } from '@/platform/images/image-store'
import { createFixture, type Fixture } from '@/platform/testing/platform-fixture'
import { saveResourceSpec } from './resource-spec'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

// Against a real embedded platform.
let fixture: Fixture
let home: TestConsole
let admin: Actor
let viewer: Actor
let place: DeploymentPlace
beforeAll(async () => {
  fixture = await createFixture()
  await new ImageStore(path.join(fixture.folder, 'data/images')).pack('platform/samples', 'agents/one:v1')
  home = await testConsole(fixture.consoleSettings)
  admin = await testActor({ local: 'admin' })
  viewer = await testActor({ local: 'viewer' })
  await signIn(admin)
  const { body } = await fixture.client.request('POST', '/v2/deployments', {
    name: 'one',
    source: 'external_docker',
    source_config: { listener_id: LISTENER_ID, resource_spec: { cpu: 1, labels: { team: 'a' } } },
    source_revision_config: { image_uri: 'agents/one:v1' },
    secrets: [{ name: 'GREETING', value: 'stays' }],
  })
  place = { workspace: 'local', deploymentId: body.id }
})
afterAll(async () => {
  await home.close()
  await fixture.close()
})

const stored = async () => (await fixture.client.get(`/v2/deployments/${place.deploymentId}`)).body
const read = () => readResourceSpec(place, admin)
let keys = 0
const save = (view: ResourceSpecView, spec: unknown) =>
  saveResourceSpec({
    place,
    key: `key-of-test-${keys++}`,
    snapshot: view.snapshot ?? { digest: '', fingerprints: [], updatedAt: null, latestRevision: null },
    spec: typeof spec === 'string' ? spec : printJson(spec),
  })

test('the reviewed spec replaces the whole spec in one new revision and keeps the secrets', async () => {
  const view = await read()
  const spec = {
    cpu: 2,
    labels: { team: 'b' },
    volumes: [{ name: 'data', emptyDir: {} }],
    volume_mounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
    sidecars: [{ name: 'proxy', image: 'proxy:1', args: ['a\nb'], env: [{ name: 'A', value: '1' }] }],
  }
  const before = await stored()
  const result = await save(view, spec)
  const after = await stored()
  expect(result).toMatchObject({ ok: true, data: { kind: 'saved', revision: after.latest_revision_id } })
  expect(after.latest_revision_id).not.toBe(before.latest_revision_id)
  expect(after.source_config.resource_spec).toMatchObject(spec)
  expect(after.secrets).toEqual(before.secrets)
  expect(result.ok && result.data.view?.text).toBe((await read()).text)
})

test('a concurrent edit is a conflict that shows the current spec, and nothing is sent', async () => {
  const view = await read()
  const other = await save(view, { ...JSON.parse(view.text ?? ''), cpu: 3 })
  expect(other.ok).toBe(true)
  const { latest_revision_id } = await stored()
  const result = await save(view, { ...JSON.parse(view.text ?? ''), cpu: 4 })
  expect(result).toMatchObject({ ok: true, data: { kind: 'conflict' } })
  expect(result.ok && JSON.parse(result.data.view?.text ?? '{}').cpu).toBe(3)
  expect((await stored()).latest_revision_id).toBe(latest_revision_id)
})

test('refusals by our rules and by the server name the field, and invalid JSON is not sent', async () => {
  const view = await read()
  expect(await save(view, { cpu: 99 })).toMatchObject({
    ok: false,
    error: { code: 'invalid', fields: [{ path: ['source_config', 'resource_spec', 'cpu'] }] },
  })
  expect(await save(view, { volume_mounts: [{ name: 'nowhere' }] })).toMatchObject({
    ok: false,
    error: { fields: [{ path: ['source_config', 'resource_spec', 'volume_mounts', 0, 'name'] }] },
  })
  for (const text of ['[]', '{', '"x"'])
    expect(await save(view, text)).toMatchObject({ ok: false, error: { code: 'invalid' } })
  expect((await read()).text).toBe(view.text)
})

test('a viewer can read the spec but not save it', async () => {
  const view = await read()
  const ofViewer = await readResourceSpec(place, viewer)
  expect({ ...ofViewer, text: JSON.parse(ofViewer.text ?? '') }).toEqual({
    ...view,
    snapshot: null,
    text: JSON.parse(view.text ?? ''),
  })
  await signIn(viewer)
  try {
    expect(await save(view, { cpu: 1 })).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  } finally {
    await signIn(admin)
  }
})

test('a deployment whose source allows no spec is refused before anything is sent', async () => {
  const repository = fixture.repository()
  const { body } = await fixture.client.create('from-git', repository.url)
  const view = await readResourceSpec({ workspace: 'local', deploymentId: body.id }, admin)
  expect(view).toMatchObject({ source: 'github', text: null })
  const result = await saveResourceSpec({
    place: { workspace: 'local', deploymentId: body.id },
    key: 'key-of-the-last',
    snapshot: view.snapshot ?? { digest: '', fingerprints: [], updatedAt: null, latestRevision: null },
    spec: '{"cpu":1}',
  })
  expect(result).toMatchObject({ ok: false, error: { code: 'invalid', message: expect.stringContaining('github') } })
})

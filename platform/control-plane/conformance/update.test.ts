import { expect, test } from 'vitest'
import { INTEGRATION_ID, LISTENER_ID } from '../platform'
import { conformance, GIT, imageBody, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()
const read = async (id: string) => (await it.call('getDeployment', { params: { deployment_id: id } })).body
const patch = (id: string, body: unknown) => it.call('updateDeployment', { params: { deployment_id: id }, body })
const countRevisions = async (id: string) =>
  (await it.call('listRevisions', { params: { deployment_id: id } })).body.resources.length

let git: string
let image: string
const setUp = async () => {
  git ??= await it.park('git', { secrets: [{ name: 'KEPT', value: 'as it is' }] })
  image ??= await it.parkImage('image', { resource_spec: { cpu: 1, labels: { a: 'b' } } })
}

/** The record without times and the parked build's status. */
const stable = ({ status: _, updated_at: __, ...rest }: Record<string, unknown>) => rest

test.each([
  ['git', 'name', { name: 'other' }, 'name: extra_forbidden'],
  ['git', 'source', { source: 'external_docker' }, 'source: extra_forbidden'],
  ['git', 'id', { id: UNKNOWN_ID }, 'id: extra_forbidden'],
  ['git', 'status', { status: 'READY' }, 'status: extra_forbidden'],
  [
    'git',
    'integration_id',
    { source_config: { integration_id: INTEGRATION_ID } },
    'source_config.integration_id: extra_forbidden',
  ],
  ['git', 'repo_url', { source_config: { repo_url: '/elsewhere' } }, 'source_config.repo_url: extra_forbidden'],
  [
    'git',
    'deployment_type',
    { source_config: { deployment_type: 'prod' } },
    'source_config.deployment_type: extra_forbidden',
  ],
  ['git', 'listener_id', { source_config: { listener_id: LISTENER_ID } }, 'source_config.listener_id: extra_forbidden'],
  [
    'git',
    'repo_commit_sha',
    { source_revision_config: { repo_commit_sha: 'a' } },
    'source_revision_config.repo_commit_sha: extra_forbidden',
  ],
  ['git', 'custom_url', { source_config: { custom_url: 'http://x.example' } }, 'source_config.custom_url: value_error'],
  [
    'git',
    'resource_spec',
    { source_config: { resource_spec: { cpu: 1 } } },
    'source_config.resource_spec: value_error',
  ],
  [
    'git',
    'image_uri',
    { source_revision_config: { image_uri: 'x:1' } },
    'source_revision_config.image_uri: value_error',
  ],
  ['git', 'secret_references', { secret_references: [] }, 'secret_references: value_error'],
  [
    'image',
    'listener_id',
    { source_config: { listener_id: LISTENER_ID } },
    'source_config.listener_id: extra_forbidden',
  ],
  [
    'image',
    'k8s_namespace',
    { source_config: { listener_config: { k8s_namespace: 'x' } } },
    'source_config.listener_config.k8s_namespace: extra_forbidden',
  ],
  ['image', 'build_on_push', { source_config: { build_on_push: true } }, 'source_config.build_on_push: value_error'],
  [
    'image',
    'repo_ref',
    { source_revision_config: { repo_ref: 'main' } },
    'source_revision_config.repo_ref: value_error',
  ],
  [
    'image',
    'graph_config_path',
    { source_revision_config: { graph_config_path: 'g' } },
    'source_revision_config.graph_config_path: value_error',
  ],
  [
    'image',
    'custom_url of another form',
    { source_config: { custom_url: 'nonsense' } },
    'source_config.custom_url: url_parsing',
  ],
] as const)(
  'a %s deployment: an update of %s is refused, not ignored, and changes nothing',
  async (which, _field, body, place) => {
    await setUp()
    const id = which === 'git' ? git : image
    const before = await read(id)
    for (const operation of ['updateDeployment', 'createRevision'] as const)
      expect(refusedFields(await it.call(operation, { params: { deployment_id: id }, body }))).toEqual([
        `body.${place}`,
      ])
    expect(stable(await read(id))).toEqual(stable(before))
  },
)

test.each([
  ['git', 'secrets', { secrets: [{ name: 'NEW', value: 'x' }] }],
  ['git', 'secrets, of which there are none', { secrets: [] }],
  ['git', 'repo_ref, the same as before', { source_revision_config: { repo_ref: 'main' } }],
  ['git', 'graph_config_path', { source_revision_config: { graph_config_path: 'other.json' } }],
  ['image', 'image_uri', { source_revision_config: { image_uri: 'nothing/there:2' } }],
  ['image', 'resource_spec', { source_config: { resource_spec: {} } }],
] as const)('a %s deployment: an update of %s creates a revision, which is the latest', async (which, _field, body) => {
  await setUp()
  const id = which === 'git' ? git : image
  const before = await read(id)
  const count = await countRevisions(id)
  const { status, body: after } = await patch(id, body)
  expect(status).toBe(200)
  expect(after.latest_revision_id).not.toBe(before.latest_revision_id)
  expect(await countRevisions(id)).toBe(count + 1)
  const params = { deployment_id: id, revision_id: after.latest_revision_id }
  const { source_revision_config } = (await it.call('getRevision', { params })).body
  expect(source_revision_config).toMatchObject({
    ...('source_revision_config' in body ? body.source_revision_config : {}),
  })
  expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at))
})

test.each([
  ['git', 'nothing', {}],
  [
    'git',
    'nulls',
    {
      secrets: null,
      secret_references: null,
      source_config: null,
      source_revision_config: null,
      revision_source: null,
      tracked_packages: null,
    },
  ],
  [
    'git',
    'nulls inside',
    {
      source_config: { build_on_push: null, install_command: null, resource_spec: null, custom_url: null },
      source_revision_config: { repo_ref: null, graph_config_path: null, image_uri: null },
    },
  ],
  ['git', 'commands', { source_config: { install_command: 'npm ci', build_command: 'npm run build' } }],
  ['git', 'build_on_push', { source_config: { build_on_push: false } }],
  ['git', 'its own source', { revision_source: 'github' }],
  ['image', 'custom_url', { source_config: { custom_url: 'https://agents.example.com' } }],
  ['image', 'an empty listener_config', { source_config: { listener_config: {} } }],
] as const)(
  'a %s deployment: an update of %s creates no revision, and null or absent fields keep their value',
  async (which, _field, body) => {
    await setUp()
    const id = which === 'git' ? git : image
    const before = await read(id)
    const { status, body: after } = await patch(id, body)
    expect(status).toBe(200)
    const given = Object.fromEntries(
      Object.entries(('source_config' in body && body.source_config) || {}).filter(
        ([name, value]) => value !== null && name !== 'listener_config',
      ),
    )
    expect(stable(after)).toEqual(stable({ ...before, source_config: { ...before.source_config, ...given } }))
  },
)

test('secrets and resource_spec are replaced as a whole', async () => {
  await setUp()
  await patch(git, {
    secrets: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  })
  expect((await patch(git, { secrets: [{ name: 'B', value: '3' }] })).body.secrets).toEqual([{ name: 'B', value: '3' }])
  await patch(image, { source_config: { resource_spec: { cpu: 2, memory_mb: 300 } } })
  const { body } = await patch(image, { source_config: { resource_spec: { memory_mb: 400 } } })
  expect(body.source_config.resource_spec).toEqual({ memory_mb: 400 })
})

test('build_on_push and a tag are refused together, even if one of them is already stored', async () => {
  const tagged = await it.park('tagged', {
    source_revision_config: { repo_ref: 'refs/tags/v1', graph_config_path: 'g' },
  })
  const place = ['body.source_config.build_on_push: value_error']
  expect(refusedFields(await patch(tagged, { source_config: { build_on_push: true } }))).toEqual(place)
  const pushed = await it.park('pushed', { source_config: { ...GIT, build_on_push: true } })
  expect(refusedFields(await patch(pushed, { source_revision_config: { repo_ref: 'refs/tags/v1' } }))).toEqual(place)
  const both = { source_config: { build_on_push: false }, source_revision_config: { repo_ref: 'refs/tags/v1' } }
  expect((await patch(pushed, both)).status).toBe(200)
})

test('a revision for a different source than the deployment’s is a 400', async () => {
  await setUp()
  expect(await patch(git, { revision_source: 'internal_docker' })).toMatchObject({ status: 400 })
  expect(refusedFields(await patch(git, { revision_source: 'external_docker' }))).toEqual([
    'body.revision_source: enum',
  ])
})

test('tracked packages do not create a revision; with one, its build log has them', async () => {
  await setUp()
  const { latest_revision_id: before } = await read(git)
  expect((await patch(git, { tracked_packages: ['a@1'] })).body.latest_revision_id).toBe(before)
  const { body } = await patch(git, { tracked_packages: ['a@1', 'b@2'], secrets: [] })
  expect(await it.fixture.client.log(git, body.latest_revision_id, 'build')).toContain('a@1, b@2')
})

test('a revision’s inputs do not change when the deployment does', async () => {
  const created = await it.call('createDeployment', { body: imageBody('frozen') })
  const { id, latest_revision_id: first } = created.body
  await patch(id, { source_revision_config: { image_uri: 'nothing/there:9' } })
  const params = { deployment_id: id, revision_id: first }
  const revision = (await it.call('getRevision', { params })).body
  expect(revision.source_revision_config.image_uri).toBe('nothing/there:1')
  expect((await read(id)).source_revision_config.image_uri).toBe('nothing/there:9')
})

test('concurrent updates create one revision each, and none is lost', async () => {
  const id = await it.park('busy')
  const responses = await Promise.all(
    ['a', 'b', 'c', 'd'].map((value) => patch(id, { secrets: [{ name: 'A', value }] })),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await countRevisions(id)).toBe(5)
})

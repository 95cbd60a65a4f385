import { once } from 'node:events'
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { INTEGRATION_ID, LISTENER_ID } from '../platform'
import { conformance, GIT, gitBody, IMAGE, imageBody, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()
const create = (body: unknown) => it.call('createDeployment', { body })
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a create returns 201 with every field of the record, including the read-only ones', async () => {
  const before = Date.now()
  const { status, body } = await create(gitBody('whole', { secrets: [{ name: 'A', value: 'one' }] }))
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(UUID),
    name: 'whole',
    source: 'github',
    source_config: {
      ...GIT,
      custom_url: `${it.fixture.platform.url}/agents/${body.id}`,
      resource_spec: null,
      listener_id: null,
      listener_config: null,
      install_command: null,
      build_command: null,
    },
    source_revision_config: {
      repo_ref: 'main',
      graph_config_path: 'graph.json',
      image_uri: null,
      repo_commit_sha: null,
    },
    secrets: [{ name: 'A', value: 'one' }],
    secret_references: null,
    tenant_id: expect.stringMatching(UUID),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    updated_at: body.created_at,
    status: 'AWAITING_DATABASE',
    latest_revision_id: expect.stringMatching(UUID),
    active_revision_id: null,
    image_version: null,
    tracing_project_id: expect.stringMatching(UUID),
    isolation: expect.stringMatching(/^(namespaces|user|none)$/),
    listener: null,
  })
  const made = Date.parse(body.created_at)
  expect(made).toBeGreaterThan(before - 5000)
  expect(made).toBeLessThan(Date.now() + 5000)
  const params = { deployment_id: body.id, revision_id: body.latest_revision_id }
  const revision = (await it.call('getRevision', { params })).body
  expect(revision).toMatchObject({
    id: body.latest_revision_id,
    source: 'github',
    source_revision_config: { repo_ref: 'main' },
  })
})

test('every field of an image deployment is stored: listener, address, specification, commands', async () => {
  const resource_spec = {
    cpu: 1,
    memory_mb: 512,
    labels: { team: 'a' },
    volumes: [{ name: 'v', emptyDir: { odd: [1] } }],
  }
  const config = {
    custom_url: 'https://agents.example.com/one',
    resource_spec,
    listener_config: { k8s_namespace: null },
    install_command: 'npm ci',
    build_command: 'npm run build && npm prune',
  }
  const { status, body } = await create(imageBody('image', config))
  expect(status).toBe(201)
  expect(body).toMatchObject({
    source: 'external_docker',
    source_config: {
      ...config,
      listener_id: LISTENER_ID,
      integration_id: null,
      repo_url: null,
      deployment_type: null,
      build_on_push: null,
    },
    source_revision_config: { image_uri: 'nothing/there:1', repo_ref: null, graph_config_path: null },
  })
  expect(body.source_config.resource_spec).toEqual(resource_spec)
})

test('an image deployment without its own address uses the gateway’s', async () => {
  const { body } = await create(imageBody('image-plain'))
  expect(body.source_config.custom_url).toBe(`${it.fixture.platform.url}/agents/${body.id}`)
})

test.each<[string, Record<string, string>, string | undefined]>([
  ['a proxy with TLS', { host: 'platform.example.com', 'x-forwarded-proto': 'https' }, 'https://platform.example.com'],
  [
    'a proxy that names itself',
    { 'x-forwarded-host': 'a.example:8443, b', 'x-forwarded-proto': 'https,http' },
    'https://a.example:8443',
  ],
  ['another name of the machine', { host: 'machine.local:4000' }, 'http://machine.local:4000'],
  ['no address', { 'x-forwarded-host': 'a/b@c' }, undefined],
])('through %s, the address of a deployment begins as the caller knows it', async (what, headers, origin) => {
  const { url, apiKey } = it.fixture.platform
  const { body } = await create(imageBody(`seen-${what}`))
  const request = http.get(`${url}/v2/deployments/${body.id}`, { headers: { 'x-api-key': apiKey, ...headers } })
  const [response] = await once(request, 'response')
  const { source_config } = (await json(response)) as { source_config: { custom_url: string } }
  expect(source_config.custom_url).toBe(`${origin ?? url}/agents/${body.id}`)
})

test.each([
  ['no listener', null, `source_config.listener_id is required`],
  ['an unknown listener', UNKNOWN_ID, UNKNOWN_ID],
])('an image deployment with %s is a 400 that lists the existing listeners', async (_what, listener_id, words) => {
  const response = await create(imageBody('image-x', { listener_id }))
  expect(response.status).toBe(400)
  expect(response.body.detail).toContain(words)
  expect(response.body.detail).toContain(LISTENER_ID)
})

test('an unknown integration is a 400 that names it and the existing one', async () => {
  const response = await create(gitBody('x', { source_config: { ...GIT, integration_id: UNKNOWN_ID } }))
  expect(response.status).toBe(400)
  expect(response.body.detail).toMatch(new RegExp(`${UNKNOWN_ID}.*${INTEGRATION_ID}`))
})

test('a namespace is refused for a listener of compute type process, and so are secrets with one', async () => {
  const reference = { name: 'A', secret_name: 's', secret_key: 'k' }
  const body = imageBody('x', { listener_config: { k8s_namespace: 'agents' } }, { secret_references: [reference] })
  expect(refusedFields(await create(body))).toEqual([
    'body.source_config.listener_config.k8s_namespace: value_error',
    'body.secret_references: value_error',
  ])
})

test('source internal_docker, which only hosted platforms have, is refused with a clear message', async () => {
  const source = 'internal_docker'
  const body = { name: 'x', source, source_config: { deployment_type: 'dev' }, source_revision_config: {} }
  expect(await create(body)).toMatchObject({ status: 400, body: { detail: expect.stringContaining(source) } })
})

test.each([
  [
    'missing fields',
    {},
    ['name: missing', 'source: missing', 'source_config: missing', 'source_revision_config: missing'],
  ],
  ['an unknown source', gitBody('x', { source: 'gitlab' }), ['source: enum']],
  ...['id', 'created_at', 'updated_at', 'status', 'latest_revision_id', 'active_revision_id', 'image_version'].map(
    (field) =>
      [`the read-only ${field}`, gitBody('x', { [field]: UNKNOWN_ID }), [`${field}: extra_forbidden`]] as const,
  ),
  [
    'the read-only repo_commit_sha',
    gitBody('x', { source_revision_config: { repo_ref: 'main', graph_config_path: 'g', repo_commit_sha: 'a' } }),
    ['source_revision_config.repo_commit_sha: extra_forbidden'],
  ],
  ['an empty name', gitBody('  '), ['name: value_error']],
  ['a name with a slash', gitBody('a/b'), ['name: value_error']],
  ['a name too long', gitBody('x'.repeat(129)), ['name: value_error']],
  ['a name of another type', gitBody(5 as unknown as string), ['name: string_type']],
  ['secrets of another type', gitBody('x', { secrets: { A: 'b' } }), ['secrets: list_type']],
  ['no secrets', gitBody('x', { secrets: undefined }), ['secrets: missing']],
  ['a secret without a value', gitBody('x', { secrets: [{ name: 'A' }] }), ['secrets.0.value: missing']],
  [
    'nothing of a repository',
    gitBody('x', { source_config: {}, source_revision_config: {} }),
    [
      'source_config.integration_id: missing',
      'source_config.repo_url: missing',
      'source_config.deployment_type: missing',
      'source_config.build_on_push: missing',
      'source_revision_config.repo_ref: missing',
      'source_revision_config.graph_config_path: missing',
    ],
  ],
  [
    'ids and types that are none',
    gitBody('x', { source_config: { ...GIT, integration_id: 'x', deployment_type: 'huge', build_on_push: 'yes' } }),
    [
      'source_config.integration_id: uuid_parsing',
      'source_config.deployment_type: enum',
      'source_config.build_on_push: bool_type',
    ],
  ],
  [
    'commands of several lines',
    gitBody('x', { source_config: { ...GIT, install_command: 'a\nb', build_command: 'a; b' } }),
    ['source_config.install_command: value_error', 'source_config.build_command: value_error'],
  ],
  [
    'fields of an image deployment',
    gitBody('x', {
      source_config: {
        ...GIT,
        custom_url: 'http://x.example',
        resource_spec: { cpu: 1 },
        listener_id: LISTENER_ID,
        listener_config: {},
      },
      source_revision_config: { repo_ref: 'main', graph_config_path: 'g', image_uri: 'x:1', source_tarball_path: 'x' },
      secret_references: [],
    }),
    [
      'source_config.custom_url: value_error',
      'source_config.resource_spec: value_error',
      'source_config.listener_id: value_error',
      'source_config.listener_config: value_error',
      'secret_references: value_error',
      'source_revision_config.image_uri: value_error',
      'source_revision_config.source_tarball_path: value_error',
    ],
  ],
  [
    'a tag and build_on_push',
    gitBody('x', {
      source_config: { ...GIT, build_on_push: true },
      source_revision_config: { repo_ref: 'refs/tags/v1', graph_config_path: 'g' },
    }),
    ['source_config.build_on_push: value_error'],
  ],
] as const)('a git deployment with %s is a 422 that names each location and kind', async (_what, body, wanted) => {
  expect(refusedFields(await create(body)).sort()).toEqual(wanted.map((place) => `body.${place}`).sort())
})

test.each([
  ['no image', imageBody('x', {}, { source_revision_config: {} }), ['source_revision_config.image_uri: missing']],
  [
    'fields of a git deployment',
    imageBody(
      'x',
      { ...GIT, build_on_push: true },
      {
        source_revision_config: {
          image_uri: 'x:1',
          repo_ref: 'main',
          graph_config_path: 'g',
          source_tarball_path: 'x',
        },
      },
    ),
    [
      'source_config.integration_id: value_error',
      'source_config.repo_url: value_error',
      'source_config.build_on_push: value_error',
      'source_config.deployment_type: value_error',
      'source_revision_config.repo_ref: value_error',
      'source_revision_config.graph_config_path: value_error',
      'source_revision_config.source_tarball_path: value_error',
    ],
  ],
  [
    'addresses that are none',
    imageBody('x', { custom_url: 'ftp://x', listener_id: 'x' }),
    ['source_config.custom_url: url_parsing', 'source_config.listener_id: uuid_parsing'],
  ],
  [
    'an unknown listener setting',
    imageBody('x', { listener_config: { zone: 'a' } }),
    ['source_config.listener_config.zone: extra_forbidden'],
  ],
] as const)('an image deployment with %s is a 422 that names each location and kind', async (_what, body, wanted) => {
  expect(refusedFields(await create(body)).sort()).toEqual(wanted.map((place) => `body.${place}`).sort())
})

test.each(['\0', '\ud800', '\udc00a'])(
  'a text or a key with %j is a 422, not a failure of the database',
  async (text) => {
    const whole = gitBody('x')
    for (const fields of [
      { source_config: { ...whole.source_config, repo_url: `/${text}` } },
      { source_revision_config: { ...whole.source_revision_config, graph_config_path: `${text}.json` } },
      { secrets: [{ name: 'A', value: text }] },
      { [`x${text}`]: 1 },
    ])
      expect(refusedFields(await create({ ...whole, ...fields }))).toEqual(['body: value_error'])
  },
)

test('either dialect of the configuration path is accepted, but not both at once', async () => {
  const source_revision_config = { repo_ref: 'main', langgraph_config_path: 'langgraph.json' }
  const { status, body } = await create(gitBody('branded', { source_revision_config }))
  expect([status, body.source_revision_config.graph_config_path]).toEqual([201, 'langgraph.json'])
  const both = { ...source_revision_config, graph_config_path: 'graph.json' }
  expect((await create(gitBody('x', { source_revision_config: both }))).status).toBe(422)
})

test('concurrent creates with the same name succeed only once', async () => {
  const responses = await Promise.all(Array.from({ length: 5 }, () => create(gitBody('only-one'))))
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  const refused = responses.find(({ status }) => status === 409)
  expect(refused?.body.detail).toContain('only-one')
})

test('refused creates leave nothing behind', async () => {
  expect((await it.call('listDeployments', { query: { name: 'x' } })).body.resources).toEqual([])
  expect(IMAGE.listener_id).toBe((await it.call('listListeners')).body.resources[0].id)
})

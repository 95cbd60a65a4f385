import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Client, createBody, createFixture, type Fixture, graphFiles } from '../testing/platform-fixture'
import { INTEGRATION_ID, LISTENER_ID } from './platform'

// Real processes on a machine that other tests share.
vi.setConfig({ testTimeout: 20_000 })

let fixture: Fixture
let client: Client
let url: string
let id: string
let first: string
beforeAll(async () => {
  fixture = await createFixture()
  client = fixture.client
  const repository = fixture.repository('data/repositories/agents')
  repository.commit(graphFiles())
  repository.git('tag', 'v1')
  url = repository.url
  const created = await client.create('rules', url, { secrets: [{ name: 'TOKEN', value: 'tell-nobody' }] })
  id = created.body.id
  first = created.body.latest_revision_id
  await client.settled(id, first, 'DEPLOYED')
})
afterAll(() => fixture.close())

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

test('a missing key is a 401, a wrong one and a wrong tenant a 403, each with a detail; nothing else is told', async () => {
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(`${fixture.platform.url}/v2/deployments`, { headers })
    return [response.status, Object.keys((await response.json()) as object)]
  }
  const key = fixture.platform.apiKey
  const tenant = (await client.get(`/v2/deployments/${id}`)).body.tenant_id
  expect(await ask({})).toEqual([401, ['detail']])
  expect(await ask({ 'x-api-key': 'wrong' })).toEqual([403, ['detail']])
  expect(await ask({ authorization: 'Bearer wrong' })).toEqual([403, ['detail']])
  expect(await ask({ 'x-api-key': key, 'x-tenant-id': UNKNOWN })).toEqual([403, ['detail']])
  expect(await ask({ 'x-api-key': key, 'x-tenant-id': tenant })).toEqual([200, ['resources', 'offset']])
  expect(await ask({ authorization: `Bearer ${key}` })).toEqual([200, ['resources', 'offset']])
})

test.each([
  ['no body', '', [['body']]],
  ['no JSON', '{"name":', [['body']]],
  [
    'missing fields',
    {},
    [
      ['body', 'name'],
      ['body', 'source'],
      ['body', 'source_config'],
      ['body', 'source_revision_config'],
    ],
  ],
  ['an unknown source', createBody('x', '/r', { source: 'gitlab' }), [['body', 'source']]],
  ['a read-only field', createBody('x', '/r', { id: UNKNOWN }), [['body', 'id']]],
  ['a null character', createBody('a\0b', '/r'), [['body']]],
  [
    'a reserved secret name',
    createBody('x', '/r', { secrets: [{ name: 'DATABASE_URI', value: 'x' }] }),
    [['body', 'secrets', 0, 'name']],
  ],
  [
    'a tag with build_on_push',
    createBody('x', '/r', {
      source_config: { integration_id: INTEGRATION_ID, repo_url: '/r', deployment_type: 'dev', build_on_push: true },
      source_revision_config: { repo_ref: 'refs/tags/v1', graph_config_path: 'graph.json' },
    }),
    [['body', 'source_config', 'build_on_push']],
  ],
  [
    'fields of another source',
    createBody('x', '/r', {
      source_config: {
        integration_id: INTEGRATION_ID,
        repo_url: '/r',
        deployment_type: 'dev',
        build_on_push: false,
        resource_spec: { cpu: 1 },
        custom_url: 'http://x.example',
      },
    }),
    [
      ['body', 'source_config', 'custom_url'],
      ['body', 'source_config', 'resource_spec'],
    ],
  ],
])('a create with %s is a 422 that names each place', async (_what, body, places) => {
  const answer = await client.request('POST', '/v2/deployments', body)
  expect(answer.status).toBe(422)
  for (const error of answer.body.detail)
    expect(error).toEqual(
      expect.objectContaining({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) }),
    )
  const named = answer.body.detail.map((error: { loc: unknown }) => error.loc)
  for (const place of places) expect(named).toContainEqual(place)
})

test.each([
  ['name', { name: 'other' }],
  ['source', { source: 'external_docker' }],
  ['integration_id', { source_config: { integration_id: INTEGRATION_ID } }],
  ['repo_url', { source_config: { repo_url: '/elsewhere' } }],
  ['deployment_type', { source_config: { deployment_type: 'prod' } }],
  ['listener_id', { source_config: { listener_id: LISTENER_ID } }],
  ['k8s_namespace', { source_config: { listener_config: { k8s_namespace: 'x' } } }],
  ['custom_url', { source_config: { custom_url: 'http://x.example' } }],
  ['resource_spec', { source_config: { resource_spec: { cpu: 1 } } }],
  ['image_uri', { source_revision_config: { image_uri: 'x:1' } }],
  ['repo_commit_sha', { source_revision_config: { repo_commit_sha: 'abc' } }],
])('an update of %s is refused, not ignored, and changes nothing', async (_field, patch) => {
  const before = (await client.get(`/v2/deployments/${id}`)).body
  expect((await client.patch(`/v2/deployments/${id}`, patch)).status).toBe(422)
  expect((await client.get(`/v2/deployments/${id}`)).body).toEqual(before)
})

test('build_on_push and a tag are refused together also when one of them is stored already', async () => {
  const tagged = await client.create('tagged', url, {
    source_revision_config: { repo_ref: 'refs/tags/v1', graph_config_path: 'graph.json' },
  })
  await client.settled(tagged.body.id, tagged.body.latest_revision_id, 'DEPLOYED')
  const refused = await client.patch(`/v2/deployments/${tagged.body.id}`, { source_config: { build_on_push: true } })
  expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'source_config', 'build_on_push']])
  expect((await client.request('DELETE', `/v2/deployments/${tagged.body.id}`)).status).toBe(204)
})

test('an update without a field that makes a revision makes none; what is null or absent keeps its value', async () => {
  const updated = await client.patch(`/v2/deployments/${id}`, {
    source_config: { build_on_push: true },
    secrets: null,
    source_revision_config: null,
  })
  expect(updated.status).toBe(200)
  expect(updated.body).toMatchObject({
    latest_revision_id: first,
    secrets: [{ name: 'TOKEN', value: 'tell-nobody' }],
    source_config: { build_on_push: true, repo_url: url },
  })
  expect((await client.patch(`/v2/deployments/${id}`, {})).body.latest_revision_id).toBe(first)
})

test('a name is taken only once, an integration must exist, and other sources are refused in plain words', async () => {
  expect(await client.create('rules', url)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('rules') },
  })
  const strange = createBody('strange', url)
  strange.source_config.integration_id = UNKNOWN
  expect(await client.request('POST', '/v2/deployments', strange)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining(UNKNOWN) },
  })
})

test('ids: a malformed one is a 422 at its path, an unknown one a 404 that names it', async () => {
  expect(await client.get('/v2/deployments/nonsense')).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['path', 'deployment_id'] }] },
  })
  for (const [method, resource] of [
    ['GET', `/v2/deployments/${UNKNOWN}`],
    ['DELETE', `/v2/deployments/${UNKNOWN}`],
    ['GET', `/v2/deployments/${UNKNOWN}/revisions`],
    ['GET', `/v2/deployments/${id}/revisions/${UNKNOWN}`],
    ['GET', `/v2/deployments/${id}/revisions/${UNKNOWN}/logs?type=build`],
    ['POST', `/v2/deployments/${id}/revisions/${UNKNOWN}/redeploy`],
    ['GET', `/v2/listeners/${UNKNOWN}`],
    ['GET', `/v1/integrations/github/${UNKNOWN}/repos`],
  ] as const)
    expect([resource, await client.request(method, resource)]).toMatchObject([
      resource,
      { status: 404, body: { detail: expect.stringContaining(UNKNOWN) } },
    ])
  expect((await client.patch(`/v2/deployments/${UNKNOWN}`, {})).status).toBe(404)
  expect(await client.get('/v2/nothing')).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
  expect((await client.request('PUT', '/v2/deployments', {})).status).toBe(405)
})

test('the list filters, pages newest first, and refuses parameters out of range', async () => {
  const more: string[] = []
  for (const name of ['list-a', 'list-b%', 'list-c']) more.push((await client.create(name, url)).body.id)
  const names = async (query: string) => {
    const { status, body } = await client.get(`/v2/deployments?${query}`)
    return status === 200 ? [body.resources.map((one: { name: string }) => one.name), body.offset] : status
  }
  expect(await names('name_contains=LIST-')).toEqual([['list-c', 'list-b%', 'list-a'], 3])
  expect(await names('name_contains=%25')).toEqual([['list-b%'], 1])
  expect(await names('name_contains=list-&limit=2')).toEqual([['list-c', 'list-b%'], 2])
  expect(await names('name_contains=list-&limit=2&offset=2')).toEqual([['list-a'], 3])
  expect(await names('name=list-a')).toEqual([['list-a'], 1])
  expect(await names(`deployment_ids=${more[0]},${id}`)).toEqual([['list-a', 'rules'], 2])
  expect(await names('name=rules&status=READY')).toEqual([['rules'], 1])
  expect(await names('name=rules&status=UNUSED')).toEqual([[], 0])
  expect(await names('name=rules&deployment_type=dev')).toEqual([['rules'], 1])
  expect(await names('name=rules&deployment_type=prod')).toEqual([[], 0])
  expect(await names('name=rules&image_version=0.1.0')).toEqual([['rules'], 1])
  expect(await names('name=rules&remote_reconciled=false')).toEqual([['rules'], 1])
  expect(await names('remote_reconciled=true')).toEqual([[], 0])
  expect(await names(`tag_value_ids=${UNKNOWN}`)).toEqual([[], 0])
  for (const bad of [
    'limit=0',
    'limit=101',
    'limit=x',
    'offset=-1',
    'deployment_type=huge',
    'deployment_ids=x',
    'name=%00',
  ])
    expect([bad, await names(bad)]).toEqual([bad, 422])

  const deleted = await client.request('DELETE', `/v2/deployments?deployment_ids=${more[0]}&deployment_ids=${UNKNOWN}`)
  expect(deleted).toMatchObject({ status: 207, body: { deleted: [more[0]], failed: [{ deployment_id: UNKNOWN }] } })
  const rest = await client.request('DELETE', `/v2/deployments?deployment_ids=${more[1]}&deployment_ids=${more[2]}`)
  expect(rest).toMatchObject({ status: 200, body: { deleted: more.slice(1), failed: [] } })
  expect((await client.request('DELETE', `/v2/deployments?deployment_ids=${UNKNOWN}`)).status).toBe(404)
})

test('revisions: by status, made on demand, rolled out again; the verbs refuse what they are not for', async () => {
  const made = await client.request('POST', `/v2/deployments/${id}/revisions`, {})
  expect(made).toMatchObject({ status: 201, body: { source: 'github', source_revision_config: { repo_ref: 'main' } } })
  await client.settled(id, made.body.id, 'DEPLOYED')
  const again = await client.request('POST', `/v2/deployments/${id}/revisions/${first}/redeploy`)
  expect(again).toMatchObject({ status: 200, body: { id, latest_revision_id: made.body.id } })
  await client.settled(id, first, 'DEPLOYED')
  expect((await client.get(`/v2/deployments/${id}`)).body.active_revision_id).toBe(first)
  expect(await client.log(id, first, 'build')).not.toMatch(/Fetching[\s\S]*Fetching/)

  const list = async (query: string) =>
    (await client.get(`/v2/deployments/${id}/revisions?${query}`)).body.resources.length
  expect([
    await list('status=DEPLOYED'),
    await list('status=BUILDING,DEPLOYED'),
    await list('status=SKIPPED'),
    await list('limit=1'),
  ]).toEqual([2, 2, 0, 1])
  const interrupted = await client.request('POST', `/v2/deployments/${id}/revisions/${first}/interrupt`)
  expect(interrupted).toMatchObject({ status: 400, body: { detail: expect.stringContaining('DEPLOYED') } })
})

test('logs: the pages of a revision join without gap or overlap, filters hold, and no secret value is in them', async () => {
  const base = `/v2/deployments/${id}/revisions/${first}/logs`
  expect((await client.get(base)).status).toBe(422)
  const whole = (await client.get(`${base}?type=build&limit=1000`)).body.logs
  expect(whole.length).toBeGreaterThan(3)
  for (const order of ['asc', 'desc']) {
    const paged: string[] = []
    let cursor: string | null = null
    do {
      const page: { logs: { id: string }[]; next_offset: string | null } = (
        await client.get(`${base}?type=build&limit=2&order=${order}${cursor ? `&offset=${cursor}` : ''}`)
      ).body
      paged.push(...page.logs.map((line) => line.id))
      cursor = page.next_offset
    } while (cursor)
    const ids = whole.map((line: { id: string }) => line.id)
    expect(paged).toEqual(order === 'asc' ? ids : ids.reverse())
  }
  const messages = async (query: string) =>
    (await client.get(`${base}?type=deploy&${query}`)).body.logs.map((line: { message: string }) => line.message)
  await client.get(`/agents/${id}/say?text=${encodeURIComponent('the token is tell-nobody, yes')}`)
  await client.get(
    `/agents/${id}/say?text=${encodeURIComponent('{"level":"error","message":"a run broke","run_id":"r-1"}')}`,
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await messages('query=TOKEN IS')).toEqual(['the token is ••••, yes'])
  expect(await messages('level=ERROR')).toEqual(['a run broke'])
  expect(await messages('run_id=r-1')).toEqual(['a run broke'])
  expect(await messages(`start_time=${Date.now() + 60_000}`)).toEqual([])
  expect((await messages(`end_time=${new Date(Date.now() + 60_000).toISOString()}`)).length).toBeGreaterThan(2)
  expect((await client.get(`${base}?type=build&offset=x`)).status).toBe(422)
  expect((await client.get(`${base}?type=build&start_time=never`)).status).toBe(422)
  const searched = await client.get(`/v2/deployment-logs?deployment_id=${id}&page_size=2&query=run%20broke`)
  expect(searched.body.items).toMatchObject([{ message: 'a run broke', level: 'ERROR' }])
  expect((await client.get(`/v2/deployments/${id}/logs?type=deploy&run_id=r-1`)).body.logs).toHaveLength(1)
})

test('this machine is one integration with the repositories of its folder, and one listener that stays', async () => {
  expect((await client.get('/v1/integrations/github/install')).body).toEqual([
    { id: INTEGRATION_ID, installation_id: 1, name: 'this-machine' },
  ])
  expect((await client.get(`/v1/integrations/github/${INTEGRATION_ID}/repos`)).body).toEqual([
    {
      host_integration_id: INTEGRATION_ID,
      id: expect.any(Number),
      name: 'agents',
      owner: 'local',
      url,
      default_branch: 'main',
    },
  ])
  expect((await client.get('/v1/integrations/forge/github/install')).body).toEqual([])
  const listeners = (await client.get('/v2/listeners')).body
  expect(listeners).toMatchObject({ resources: [{ id: LISTENER_ID, compute_type: 'process' }], offset: 1 })
  expect((await client.get(`/v2/listeners/${LISTENER_ID}`)).body).toEqual(listeners.resources[0])
  expect((await client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: 'east' })).status).toBe(403)
  expect(
    (await client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: 'this-machine' })).status,
  ).toBe(409)
  expect((await client.request('PATCH', `/v2/listeners/${LISTENER_ID}`, { version: '2' })).status).toBe(403)
  expect((await client.request('DELETE', `/v2/listeners/${LISTENER_ID}`)).status).toBe(403)
})

test('a secret is stored sealed: its value is nowhere in the database', async () => {
  const pg = (await import('pg')).default
  const connection = new pg.Client({ connectionString: fixture.database.url })
  await connection.connect()
  for (const table of ['deployments', 'revisions', 'revision_logs', 'settings']) {
    const { rows } = await connection.query(`select t::text as line from platform.${table} t`)
    expect(rows.length).toBeGreaterThan(0)
    for (const { line } of rows) expect(line).not.toContain('tell-nobody')
  }
  await connection.end()
})

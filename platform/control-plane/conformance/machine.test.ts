import { expect, test } from 'vitest'
import { INTEGRATION_ID, LISTENER_ID } from '../platform'
import { conformance, GIT, refusedFields } from './testing'

const it = conformance()
const listener = { params: { listener_id: LISTENER_ID } }

test('this machine is one integration, with the repositories in its folder, bare or not', async () => {
  expect((await it.call('listGithubIntegrations')).body).toEqual([
    { id: INTEGRATION_ID, installation_id: 1, name: 'this-machine' },
  ])
  const params = { integration_id: INTEGRATION_ID }
  expect((await it.call('listGithubRepositories', { params })).body).toEqual([])
  const repository = it.fixture.repository('data/repositories/agents')
  repository.commit({ 'graph.json': '{}' })
  repository.git('clone', '--quiet', '--bare', '.', '../bare.git')
  const found = (await it.call('listGithubRepositories', { params })).body
  const common = { host_integration_id: INTEGRATION_ID, id: expect.any(Number), owner: 'local', default_branch: 'main' }
  expect(found).toEqual([
    { ...common, name: 'agents', url: repository.url },
    { ...common, name: 'bare', url: repository.url.replace(/agents$/, 'bare.git') },
  ])
  expect((await it.call('listGithubRepositories', { params })).body).toEqual(found)
})

test('a repository is inspected before it is deployed: its graphs and the names in its example env file', async () => {
  const repository = it.fixture.repository('inspected')
  const commit = repository.commit({ 'langgraph.json': '{"graphs":{"a":"./a.ts:a"}}', '.env.example': 'KEY=canary\n' })
  const source = { repo_url: repository.url, repo_ref: 'main', graph_config_path: 'langgraph.json' }
  const inspect = (query: object, integration_id = INTEGRATION_ID) =>
    it.call('inspectRepository', { params: { integration_id }, query: { ...query } })
  expect((await inspect(source)).body).toEqual({
    commit,
    graph_config_path: 'langgraph.json',
    graphs: ['a'],
    env_example: { path: '.env.example', variables: [{ name: 'KEY', is_optional: false }] },
  })
  const missing = await inspect({ ...source, repo_ref: 'none' })
  expect(missing).toMatchObject({ status: 400, body: { detail: expect.stringContaining('none') } })
  expect((await inspect(source, LISTENER_ID)).status).toBe(404)
  const refs = (repo_url: string) =>
    it.call('listRepositoryRefs', { params: { integration_id: INTEGRATION_ID }, query: { repo_url } })
  expect((await refs(repository.url)).body).toEqual({ branches: ['main'], tags: [], is_complete: true })
  expect(await refs('/nowhere/at/all')).toMatchObject({ status: 400, body: { detail: expect.stringContaining('git') } })
  expect(refusedFields(await inspect({ repo_url: 'x', repo_ref: '', colour: 1 }))).toEqual([
    'query.repo_ref: string_too_short',
    'query.graph_config_path: missing',
    'query.colour: extra_forbidden',
  ])
})

test('the newer pages have the same integration and repositories, by cursor', async () => {
  const installations = await it.call('listGithubInstallations')
  expect(installations.body).toEqual({ items: (await it.call('listGithubIntegrations')).body, next_cursor: null })
  for (const name of ['one', 'two']) it.fixture.repository(`data/repositories/${name}`).commit({ 'graph.json': '{}' })
  const all = (await it.call('listGithubRepositories', { params: { integration_id: INTEGRATION_ID } })).body
  const page = (query: object) =>
    it.call('listInstallationRepositories', { params: { installation_id: INTEGRATION_ID }, query: { ...query } })
  expect((await page({})).body).toEqual({ items: all, next_cursor: null })
  const first = (await page({ page_size: 1 })).body
  expect(first).toEqual({ items: all.slice(0, 1), next_cursor: expect.any(String) })
  const rest = (await page({ page_size: all.length - 1, cursor: first.next_cursor })).body
  expect(rest).toEqual({ items: all.slice(1), next_cursor: null })
  for (const [query, place] of [
    [{ page_size: 0 }, 'query.page_size: greater_than_equal'],
    [{ page_size: 101 }, 'query.page_size: less_than_equal'],
    [{ cursor: 'x' }, 'query.cursor: value_error'],
  ] as const) {
    expect(refusedFields(await page(query))).toEqual([place])
    expect(refusedFields(await it.call('listGithubInstallations', { query }))).toEqual([place])
  }
})

test('no GitHub App can be installed: a 501 says where repositories come from', async () => {
  const response = await it.call('createInstallationLink')
  expect(response).toMatchObject({
    status: 501,
    body: { detail: expect.stringMatching(/data\/repositories.*any git URL/) },
  })
})

test('nothing is billed: deployments of the free type are counted, and a tier change is a 501', async () => {
  const count = async () => (await it.call('countFreeDeployments')).body.count
  expect(await count()).toBe(0)
  const deployment_id = await it.park('free', { source_config: { ...GIT, deployment_type: 'dev_free' } })
  await it.park('not-free')
  expect(await count()).toBe(1)
  const params = { deployment_id }
  const refused = { status: 501, body: { detail: expect.stringContaining('Nothing is billed') } }
  expect(await it.call('updateDeploymentTier', { params, body: { tier: 'prod' } })).toMatchObject(refused)
  const tiers = { compute_tier: 'SERVERLESS_S', database_tier: 'DEDICATED_L' }
  expect(await it.call('updateResourceTiers', { params, body: tiers })).toMatchObject(refused)
  expect(refusedFields(await it.call('updateDeploymentTier', { params, body: { tier: '' } }))).toEqual([
    'body.tier: string_too_short',
  ])
  expect(refusedFields(await it.call('updateResourceTiers', { params, body: { compute_tier: 'HUGE' } }))).toEqual([
    'body.compute_tier: enum',
  ])
})

test('the second kind of integration does not exist, so none of its repositories is found', async () => {
  expect((await it.call('listForgeIntegrations')).body).toEqual([])
  expect((await it.call('listForgeRepositories', { params: { integration_id: INTEGRATION_ID } })).status).toBe(404)
})

test('this machine is one listener of compute type process, read alone and in pages', async () => {
  const { body } = await it.call('listListeners')
  expect(body).toEqual({
    resources: [
      {
        id: LISTENER_ID,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        compute_type: 'process',
        compute_id: 'this-machine',
        compute_config: { k8s_namespaces: null },
        version: expect.any(String),
        connection: { away: null, token: null },
      },
    ],
    offset: 1,
  })
  expect((await it.call('getListener', listener)).body).toEqual(body.resources[0])
  expect((await it.call('listListeners', { query: { limit: 1, offset: 1 } })).body).toEqual({
    resources: [],
    offset: 1,
  })
  expect(refusedFields(await it.call('listListeners', { query: { limit: 0 } }))).toEqual([
    'query.limit: greater_than_equal',
  ])
})

test('another listener is a 403, a duplicate compute id a 409, and an unknown kind a 422', async () => {
  const create = (body: unknown) => it.call('createListener', { body })
  const whole = { compute_type: 'k8s', compute_id: 'east', compute_config: { k8s_namespaces: ['a'] }, version: '1' }
  expect((await create({ ...whole, compute_type: 'process' })).status).toBe(403)
  expect((await create({ ...whole, compute_id: 'this-machine' })).status).toBe(409)
  expect(
    refusedFields(await create({ compute_type: 'vm', compute_id: '', compute_config: { k8s_namespaces: [''] } })),
  ).toEqual([
    'body.compute_type: enum',
    'body.compute_id: string_too_short',
    'body.compute_config.k8s_namespaces.0: string_too_short',
  ])
})

test('the listener cannot change: a change and a delete are 403s, a change of a fixed field a 422', async () => {
  const update = (body: unknown) => it.call('updateListener', { ...listener, body })
  const before = (await it.call('getListener', listener)).body
  expect((await update({ version: '2', compute_config: { k8s_namespaces: null } })).status).toBe(403)
  expect(refusedFields(await update({ compute_type: 'k8s', compute_id: 'x' }))).toEqual([
    'body.compute_type: extra_forbidden',
    'body.compute_id: extra_forbidden',
  ])
  expect((await it.call('deleteListener', listener)).status).toBe(403)
  expect((await it.call('renewListenerToken', listener)).status).toBe(403)
  expect((await it.call('revokeListenerToken', listener)).status).toBe(403)
  expect((await it.call('getListener', listener)).body).toEqual(before)
})

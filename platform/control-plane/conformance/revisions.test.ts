import { expect, test } from 'vitest'
import { graphFiles, waitFor } from '../../testing/platform-fixture'
import { conformance, GIT, gitBody, imageBody, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()
const params = (deployment_id: string, revision_id = UNKNOWN_ID) => ({ deployment_id, revision_id })
const revision = async (id: string, revision_id: string) =>
  (await it.call('getRevision', { params: params(id, revision_id) })).body
const list = async (id: string, query = {}) => {
  const { status, body } = await it.call('listRevisions', { params: { deployment_id: id }, query })
  expect(status).toBe(200)
  return body
}

/** A serving deployment, with the client to wait on it. */
async function serve(name: string) {
  const repository = it.fixture.repository(name)
  repository.commit(graphFiles())
  const { body } = await it.fixture.client.create(name, repository.url)
  await it.fixture.client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  return { id: body.id as string, first: body.latest_revision_id as string, repository }
}

test('a revision has the fields of the interface, its statuses and its commit, without an error text', async () => {
  const id = await it.park('fields')
  const { latest_revision_id } = (await it.call('getDeployment', { params: { deployment_id: id } })).body
  await it.fixture.client.waitForStatus(id, latest_revision_id, 'BUILD_FAILED')
  expect(await revision(id, latest_revision_id)).toEqual({
    id: latest_revision_id,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    status: 'BUILD_FAILED',
    source: 'github',
    source_revision_config: {
      repo_ref: 'main',
      graph_config_path: 'graph.json',
      image_uri: null,
      repo_commit_sha: null,
    },
    status_history: expect.any(Array),
    commit: null,
    image: null,
  })
  expect(await it.fixture.client.log(id, latest_revision_id, 'build')).toMatch(/nowhere/)
})

test('on demand: 201 with the new revision, also for an empty body, with the same fields as an update', async () => {
  const { id, first, repository } = await serve('demand')
  const made = await it.call('createRevision', { params: { deployment_id: id }, body: {} })
  expect(made).toMatchObject({ status: 201, body: { source: 'github', source_revision_config: { repo_ref: 'main' } } })
  expect(made.body.id).not.toBe(first)
  await it.fixture.client.waitForStatus(id, made.body.id, 'DEPLOYED')
  repository.git('tag', 'v1')
  const tagged = await it.call('createRevision', {
    params: { deployment_id: id },
    body: { source_revision_config: { repo_ref: 'refs/tags/v1' }, secrets: [{ name: 'GREETING', value: 'hello' }] },
  })
  await it.fixture.client.waitForStatus(id, tagged.body.id, 'DEPLOYED')
  const { body } = await it.call('getDeployment', { params: { deployment_id: id } })
  expect(body).toMatchObject({
    status: 'READY',
    latest_revision_id: tagged.body.id,
    active_revision_id: tagged.body.id,
    source_revision_config: { repo_ref: 'refs/tags/v1', repo_commit_sha: repository.git('rev-parse', 'HEAD') },
    secrets: [{ name: 'GREETING', value: 'hello' }],
  })
})

test('the list is newest first and filters by statuses; its pages join', async () => {
  const { id, first } = await serve('list')
  const second = (await it.call('createRevision', { params: { deployment_id: id }, body: {} })).body.id
  await it.fixture.client.waitForStatus(id, second, 'DEPLOYED')
  const failed = (
    await it.call('updateDeployment', {
      params: { deployment_id: id },
      body: { source_revision_config: { repo_ref: 'none' } },
    })
  ).body.latest_revision_id
  await it.fixture.client.waitForStatus(id, failed, 'BUILD_FAILED')
  const ids = (body: { resources: { id: string }[] }) => body.resources.map((one) => one.id)
  expect([ids(await list(id)), (await list(id)).offset]).toEqual([[failed, second, first], 3])
  expect([ids(await list(id, { limit: 2 })), ids(await list(id, { limit: 2, offset: 2 }))]).toEqual([
    [failed, second],
    [first],
  ])
  expect(await list(id, { offset: 3 })).toEqual({ resources: [], offset: 3 })
  expect(ids(await list(id, { status: 'DEPLOYED' }))).toEqual([second, first])
  expect(ids(await list(id, { status: 'BUILDING, BUILD_FAILED' }))).toEqual([failed])
  expect(ids(await list(id, { status: 'SKIPPED' }))).toEqual([])
  expect(ids(await list(id, { status: '' }))).toHaveLength(3)
  expect([ids(await list(id, { remote_reconciled: true })), ids(await list(id, { remote_reconciled: false }))]).toEqual(
    [[], [failed, second, first]],
  )
  for (const [query, place] of [
    [{ limit: 0 }, 'limit: greater_than_equal'],
    [{ limit: 101 }, 'limit: less_than_equal'],
    [{ offset: 'x' }, 'offset: int_parsing'],
    [{ remote_reconciled: 'x' }, 'remote_reconciled: bool_parsing'],
  ] as const)
    expect(refusedFields(await it.call('listRevisions', { params: { deployment_id: id }, query }))).toEqual([
      `query.${place}`,
    ])
})

test('revisions of an image deployment are reconciled by its listener', async () => {
  const id = await it.parkImage('remote')
  expect((await list(id, { remote_reconciled: true })).resources).toHaveLength(1)
  expect((await list(id, { remote_reconciled: false })).resources).toEqual([])
})

const IN_ORDER = ['QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOYED']

test('a revision tells when each status began, also those of a redeploy, and what git says of its commit', async () => {
  const { id, first } = await serve('history')
  const built = await revision(id, first)
  const statuses = (one: { status_history: { status: string }[] }) => one.status_history.map(({ status }) => status)
  expect(statuses(built)).toEqual(['CREATING', ...IN_ORDER])
  const times = built.status_history.map(({ at }: { at: string }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))
  expect(times[0]).toBeGreaterThanOrEqual(Date.parse(built.created_at) - 1)
  expect(times.at(-1)).toBeLessThanOrEqual(Date.parse(built.updated_at) + 1000)
  expect(built.commit).toEqual({
    message: 'change',
    author: 'Test',
    authored_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
  await it.call('redeployRevision', { params: params(id, first) })
  await it.fixture.client.waitForStatus(id, first, 'DEPLOYED')
  const again = await revision(id, first)
  expect(statuses(again)).toEqual(['CREATING', ...IN_ORDER, 'QUEUED', 'AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOYED'])
  expect(again.commit).toEqual(built.commit)
})

test('a revision is found under its own deployment only', async () => {
  const [a, b] = [await it.park('mine'), await it.park('other')]
  const { latest_revision_id } = (await it.call('getDeployment', { params: { deployment_id: a } })).body
  for (const operation of ['getRevision', 'redeployRevision', 'interruptRevision'] as const)
    expect((await it.call(operation, { params: params(b, latest_revision_id) })).status).toBe(404)
})

test('redeploy returns the deployment, rolls the old one out without a build, and keeps the latest', async () => {
  const { id, first } = await serve('again')
  const second = (await it.call('createRevision', { params: { deployment_id: id }, body: {} })).body.id
  await it.fixture.client.waitForStatus(id, second, 'DEPLOYED')
  const builds = await it.fixture.client.log(id, first, 'build')
  const response = await it.call('redeployRevision', { params: params(id, first) })
  expect(response).toMatchObject({ status: 200, body: { id, latest_revision_id: second } })
  await it.fixture.client.waitForStatus(id, first, 'DEPLOYED')
  expect((await it.call('getDeployment', { params: { deployment_id: id } })).body).toMatchObject({
    active_revision_id: first,
    latest_revision_id: second,
  })
  expect(await it.fixture.client.log(id, first, 'build')).toBe(builds)
})

test('redeploy of a revision whose build failed builds it again, and it serves once the cause is fixed', async () => {
  const repository = it.fixture.repository('again-built')
  const { body } = await it.call('createDeployment', {
    body: gitBody('again-built', { source_config: { ...GIT, repo_url: repository.url } }),
  })
  const { id, latest_revision_id } = body
  await it.fixture.client.waitForStatus(id, latest_revision_id, 'BUILD_FAILED')
  repository.commit(graphFiles('came later'))
  const response = await it.call('redeployRevision', { params: params(id, latest_revision_id) })
  expect(response).toMatchObject({ status: 200, body: { id, latest_revision_id } })
  await it.fixture.client.waitForStatus(id, latest_revision_id, 'DEPLOYED')
  expect(await it.fixture.client.about(id)).toMatchObject({ text: 'came later' })
})

test('interrupt of a revision that has ended is a 400 that names its status', async () => {
  const id = await it.park('refusals')
  const { latest_revision_id } = (await it.call('getDeployment', { params: { deployment_id: id } })).body
  await it.fixture.client.waitForStatus(id, latest_revision_id, 'BUILD_FAILED')
  expect(await it.call('interruptRevision', { params: params(id, latest_revision_id) })).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(`${latest_revision_id}.*BUILD_FAILED`) },
  })
})

test('interrupt stops a build, returns the revision, and is logged; redeploy resumes it', async () => {
  const repository = it.fixture.repository('slow')
  repository.commit(graphFiles())
  const source_config = { ...GIT, repo_url: repository.url, install_command: 'sleep 60' }
  const { body } = await it.call('createDeployment', { body: gitBody('slow', { source_config }) })
  const { id, latest_revision_id } = body
  await waitFor('building', async () =>
    (await it.fixture.client.log(id, latest_revision_id, 'build')).includes('sleep 60'),
  )
  const redeployed = await it.call('redeployRevision', { params: params(id, latest_revision_id) })
  expect(redeployed).toMatchObject({ status: 400, body: { detail: expect.stringContaining('BUILDING') } })
  const response = await it.call('interruptRevision', { params: params(id, latest_revision_id) })
  expect(response).toMatchObject({ status: 200, body: { id: latest_revision_id, status: 'INTERRUPTED' } })
  expect(await it.fixture.client.log(id, latest_revision_id, 'build')).toMatch(/Interrupted\.$/)
  const again = await it.call('redeployRevision', { params: params(id, latest_revision_id) })
  expect(again.status).toBe(200)
  expect(['QUEUED', 'AWAITING_BUILD', 'BUILDING']).toContain((await revision(id, latest_revision_id)).status)
  await it.call('interruptRevision', { params: params(id, latest_revision_id) })
})

test('an image missing from the store fails in the roll-out with the reason in a log, not in the request', async () => {
  const { status, body } = await it.call('createDeployment', { body: imageBody('missing') })
  expect(status).toBe(201)
  await waitFor('failed', async () => /FAILED/.test((await revision(body.id, body.latest_revision_id)).status))
  const { client } = it.fixture
  const logs = await Promise.all(
    (['build', 'deploy'] as const).map((type) => client.log(body.id, body.latest_revision_id, type)),
  )
  expect(logs.join('\n')).toContain('nothing/there:1')
})

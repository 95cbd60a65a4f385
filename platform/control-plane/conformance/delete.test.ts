import pg from 'pg'
import { expect, test } from 'vitest'
import { graphFiles, isAlive } from '../../testing/platform-fixture'
import { conformance, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()
const of = (deployment_id: string) => ({ deployment_id })
const remove = (id: string, query = {}) => it.call('deleteDeployment', { params: of(id), query })
const removeMany = (deployment_ids: string[]) => it.call('deleteDeployments', { query: { deployment_ids } })

/** Rows of a statement on the platform's database. */
async function rows(statement: string, ...values: unknown[]) {
  const connection = new pg.Client({ connectionString: it.fixture.database.url })
  await connection.connect()
  try {
    return (await connection.query(statement, values)).rows
  } finally {
    await connection.end()
  }
}
const project = async (name: string) => (await rows('select * from platform.tracing_projects where name = $1', name))[0]

test('a delete is a 204 without a body; then the deployment, its revisions, logs and agent server are gone', async () => {
  const repository = it.fixture.repository()
  repository.commit(graphFiles())
  const created = await it.fixture.client.create('served', repository.url)
  const { id, latest_revision_id } = created.body
  await it.fixture.client.waitForStatus(id, latest_revision_id, 'DEPLOYED')
  const { pid } = await it.fixture.client.about(id)
  const response = await remove(id)
  expect([response.status, response.body]).toEqual([204, undefined])
  await it.gone(id)
  expect(isAlive(pid)).toBe(false)
  expect(
    (await it.call('getRevision', { params: { deployment_id: id, revision_id: latest_revision_id } })).status,
  ).toBe(404)
  for (const table of ['revisions', 'revision_logs'])
    expect(await rows(`select 1 from platform.${table} where deployment_id = $1`, id)).toEqual([])
  expect((await remove(id)).status).toBe(404)
  expect((await it.fixture.client.create('served', repository.url)).status).toBe(201)
})

test('a deployment that is being deleted has that status and accepts no change, revision or redeploy', async () => {
  const repository = it.fixture.repository('slow')
  repository.commit(graphFiles())
  const created = await it.fixture.client.create('leaving', repository.url)
  const { id, latest_revision_id: revision_id } = created.body
  await it.fixture.client.waitForStatus(id, revision_id, 'DEPLOYED')
  // Set by hand, so that the test does not depend on how fast an agent server stops.
  await rows(`update platform.deployments set status = 'AWAITING_DELETE' where id = $1`, id)
  expect((await it.call('getDeployment', { params: of(id) })).body.status).toBe('AWAITING_DELETE')
  const refused = { status: 400, body: { detail: expect.stringContaining('being deleted') } }
  expect(await it.call('updateDeployment', { params: of(id), body: { secrets: [] } })).toMatchObject(refused)
  expect(await it.call('createRevision', { params: of(id), body: {} })).toMatchObject(refused)
  expect(await it.call('redeployRevision', { params: { ...of(id), revision_id } })).toMatchObject(refused)
  expect((await remove(id, { force: true })).status).toBe(204)
  await it.gone(id)
})

test('force is a 400 unless the deployment is already being deleted', async () => {
  const id = await it.park('not-yet')
  expect(await remove(id, { force: true })).toMatchObject({ status: 400, body: { detail: expect.any(String) } })
  expect((await it.call('getDeployment', { params: of(id) })).status).toBe(200)
  expect(refusedFields(await remove(id, { force: 'perhaps' }))).toEqual(['query.force: bool_parsing'])
  expect(refusedFields(await remove(id, { delete_tracing_project: 'perhaps' }))).toEqual([
    'query.delete_tracing_project: bool_parsing',
  ])
})

test('creating a deployment creates a tracing project of the same name, which the record contains', async () => {
  const id = await it.park('traced')
  const { body } = await it.call('getDeployment', { params: of(id) })
  expect(await project('traced')).toMatchObject({
    id: body.tracing_project_id,
    deployment_id: id,
    created_at: expect.any(Date),
  })
})

test('a delete keeps the tracing project; the next deployment with that name adopts it', async () => {
  const id = await it.park('kept')
  const before = await project('kept')
  await remove(id)
  await it.gone(id)
  expect(await project('kept')).toEqual({ ...before, deployment_id: null })
  const next = await it.park('kept')
  expect(await project('kept')).toEqual({ ...before, deployment_id: next })
})

test('delete_tracing_project also deletes the project, even if only the first of two deletes requested it', async () => {
  const id = await it.park('untraced')
  const other = await project('traced')
  await remove(id, { delete_tracing_project: true })
  await remove(id)
  await it.gone(id)
  expect(await project('untraced')).toBeUndefined()
  expect(await project('traced')).toEqual(other)
})

test('a refused create neither creates nor adopts a tracing project', async () => {
  const before = await project('traced')
  const { body } = await it.call('listDeployments', { query: { name: 'traced' } })
  const again = await it.fixture.client.create('traced', '/nowhere')
  expect([again.status, body.resources.length]).toEqual([409, 1])
  expect(await project('traced')).toEqual(before)
})

test('several at once: 200 if all are deleted, 207 that lists those that are not, 404 if none exists', async () => {
  const [a, b, c] = [await it.park('a'), await it.park('b'), await it.park('c')] as [string, string, string]
  expect(await removeMany([a, UNKNOWN_ID, a])).toMatchObject({
    status: 207,
    body: { deleted: [a], failed: [{ deployment_id: UNKNOWN_ID, detail: expect.stringContaining(UNKNOWN_ID) }] },
  })
  expect(await removeMany([b, c])).toMatchObject({ status: 200, body: { deleted: [b, c], failed: [] } })
  expect((await removeMany([UNKNOWN_ID])).status).toBe(404)
  for (const id of [a, b, c]) await it.gone(id)
})

test('several at once: no ids, more than 100 and invalid ids are 422s that delete nothing', async () => {
  const id = await it.park('stays')
  expect(refusedFields(await it.call('deleteDeployments'))).toEqual(['query.deployment_ids: missing'])
  expect(refusedFields(await removeMany(Array.from({ length: 101 }, () => id)))).toEqual([
    'query.deployment_ids: too_long',
  ])
  expect(refusedFields(await removeMany([id, 'x']))).toEqual(['query.deployment_ids: uuid_parsing'])
  expect((await it.call('getDeployment', { params: of(id) })).body.status).not.toBe('AWAITING_DELETE')
})

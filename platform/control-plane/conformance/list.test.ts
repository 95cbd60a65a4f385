import { expect, test } from 'vitest'
import { conformance, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()
const list = (query: Record<string, unknown> = {}) => it.call('listDeployments', { query })
const names = async (query: Record<string, unknown> = {}): Promise<string[]> => {
  const { status, body } = await list(query)
  expect(status).toBe(200)
  return body.resources.map(({ name }: { name: string }) => name)
}

const ids: Record<string, string> = {}
const setUp = async () => {
  if (ids.alpha) return
  for (const name of ['alpha', 'Alphabet', '50%_off', 'beta']) ids[name] = await it.park(name)
  ids.image = await it.parkImage('image')
  ids.prod = await it.park('prod', {
    source_config: { ...(await read('alpha')).source_config, deployment_type: 'prod', custom_url: null },
  })
}
const read = async (name: string) =>
  (await it.call('getDeployment', { params: { deployment_id: ids[name] as string } })).body

test('newest first, whole records, with an offset to each next page up to the last', async () => {
  await setUp()
  const all = await names()
  expect(all).toEqual(['prod', 'image', 'beta', '50%_off', 'Alphabet', 'alpha'])
  const paged: string[] = []
  for (let offset = 0; ; ) {
    const { body } = await list({ limit: 4, offset })
    if (!body.resources.length) {
      expect(body).toEqual({ resources: [], offset })
      break
    }
    expect(body.offset).toBe(offset + body.resources.length)
    paged.push(...body.resources.map(({ name }: { name: string }) => name))
    offset = body.offset
  }
  expect(paged).toEqual(all)
  const [first] = (await list({ limit: 1 })).body.resources
  expect(first.id).toBe(ids.prod)
  expect(Object.keys(first).sort()).toEqual(Object.keys(await read('prod')).sort())
})

test.each([
  ['name_contains in any case', { name_contains: 'ALPHA' }, ['Alphabet', 'alpha']],
  ['name_contains with signs of a pattern', { name_contains: '%_' }, ['50%_off']],
  ['name_contains that is empty', { name_contains: '', limit: 1 }, ['prod']],
  ['name, which is the whole of it', { name: 'alpha' }, ['alpha']],
  ['status', { name: 'alpha', status: 'UNUSED' }, []],
  ['remote_reconciled', { remote_reconciled: true }, ['image']],
  [
    'remote_reconciled that is false',
    { remote_reconciled: 'false', name_contains: 'a' },
    ['beta', 'Alphabet', 'alpha'],
  ],
  ['tag_value_ids, which nothing here carries', { tag_value_ids: `${UNKNOWN_ID},${UNKNOWN_ID}` }, []],
  ['agent_id, which nothing here has', { agent_id: UNKNOWN_ID }, []],
  ['agent_environment, which nothing here has', { agent_environment: 'prod' }, []],
  ['image_version', { image_version: '999.0' }, []],
  ['deployment_type', { deployment_type: 'prod' }, ['prod']],
  ['deployment_type of another kind', { deployment_type: 'dev', name_contains: 'bet' }, ['beta', 'Alphabet']],
  ['several at once', { deployment_type: 'dev', name_contains: 'alpha', limit: 1, offset: 1 }, ['alpha']],
  ['deployment_ids that are empty', { deployment_ids: '', limit: 1 }, ['prod']],
] as const)('a list by %s', async (_what, query, wanted) => {
  await setUp()
  expect(await names(query)).toEqual(wanted)
})

test('a list by deployment_ids, some of them unknown', async () => {
  await setUp()
  expect(await names({ deployment_ids: `${ids.alpha},${UNKNOWN_ID}, ${ids.image}` })).toEqual(['image', 'alpha'])
})

test('a list by status and image_version finds what has been deployed', async () => {
  const repository = it.fixture.repository()
  repository.commit({ 'graph.json': '{"graphs":{"main":"./main.mjs:graph"}}', 'main.mjs': 'export const graph = {}' })
  const created = await it.fixture.client.create('deployed', repository.url)
  const { id, latest_revision_id } = created.body
  await it.fixture.client.waitForStatus(id, latest_revision_id, 'DEPLOYED')
  const { body } = await it.call('getDeployment', { params: { deployment_id: id } })
  expect(body).toMatchObject({ status: 'READY', active_revision_id: latest_revision_id })
  expect(await names({ image_version: body.image_version })).toEqual(['deployed'])
  expect(await names({ status: 'READY', name: 'deployed' })).toEqual(['deployed'])
})

test.each([
  [{ limit: 0 }, 'limit: greater_than_equal'],
  [{ limit: 101 }, 'limit: less_than_equal'],
  [{ limit: 'x' }, 'limit: int_parsing'],
  [{ limit: '1.5' }, 'limit: int_parsing'],
  [{ limit: '' }, 'limit: int_parsing'],
  [{ limit: [1, 2] }, 'limit: int_parsing'],
  [{ offset: -1 }, 'offset: greater_than_equal'],
  [{ offset: 'x' }, 'offset: int_parsing'],
  [{ remote_reconciled: 'perhaps' }, 'remote_reconciled: bool_parsing'],
  [{ deployment_type: 'huge' }, 'deployment_type: enum'],
  [{ deployment_ids: 'x' }, 'deployment_ids: uuid_parsing'],
  [{ deployment_ids: `${UNKNOWN_ID},x` }, 'deployment_ids: uuid_parsing'],
] as const)('a list by %o is a 422 with the parameter', async (query, place) => {
  expect(refusedFields(await list(query))).toEqual([`query.${place}`])
})

test('a query with a null character is a 422, not a failure of the database', async () => {
  expect(refusedFields(await list({ name: '\0' }))).toEqual(['query: value_error'])
})

test('without a limit a page has 20', async () => {
  await setUp()
  await Promise.all(Array.from({ length: 16 }, (_, n) => it.parkImage(`many-${n}`)))
  const { body } = await list()
  expect([body.resources.length, body.offset]).toEqual([20, 20])
})

import { beforeAll, expect, test } from 'vitest'
import { createClient, graphFiles, waitFor } from '../../testing/platform-fixture'
import { conformance, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()
let deployment_id: string
let revision_id: string
let other: string
type Line = { id: string; timestamp: string; level: string; message: string }
type Page = {
  status: number
  body: { logs?: Line[]; items?: Line[]; next_offset?: string | null; next_cursor?: string | null }
}

/** The three ways to read the same lines, behind one function. */
const FAMILIES = {
  listRevisionLogs: (query: Record<string, unknown>) =>
    it.call('listRevisionLogs', { params: { deployment_id, revision_id }, query }),
  listDeploymentLogs: (query: Record<string, unknown>) =>
    it.call('listDeploymentLogs', { params: { deployment_id }, query }),
  searchDeploymentLogs: ({ type, order, limit, offset, ...rest }: Record<string, unknown>) =>
    it.call('searchDeploymentLogs', {
      query: {
        deployment_id,
        log_type: String(type).toUpperCase(),
        sort_order: order,
        page_size: limit,
        cursor: offset,
        ...rest,
      },
    }),
} satisfies Record<string, (query: Record<string, unknown>) => Promise<Page>>
const families = Object.entries(FAMILIES)
const linesOf = ({ body }: Page): Line[] => body.logs ?? body.items ?? []
const cursorOf = ({ body }: Page) => body.next_offset ?? body.next_cursor ?? null

beforeAll(async () => {
  const client = createClient(it.fixture.platform)
  const repository = it.fixture.repository()
  repository.commit(graphFiles())
  const created = await client.create('logs', repository.url)
  deployment_id = created.body.id
  other = created.body.latest_revision_id
  await client.waitForStatus(deployment_id, other, 'DEPLOYED')
  revision_id = (await it.call('createRevision', { params: { deployment_id }, body: {} })).body.id
  await client.waitForStatus(deployment_id, revision_id, 'DEPLOYED')
  const say = (text: string) => client.get(`/agents/${deployment_id}/say?text=${encodeURIComponent(text)}`)
  for (const [level, message, run_id] of [
    ['debug', 'a detail'],
    ['info', '100% of a_b'],
    ['warn', 'odd'],
    ['error', 'a run broke', 'r-1'],
    ['fatal', 'all is lost', 'r-2'],
  ])
    await say(JSON.stringify({ level, message, run_id }))
  // The end of the server before this one is logged last, and after the switch.
  const said = ['all is lost', 'The previous agent server']
  await waitFor('said', async () => {
    const log = await client.log(deployment_id, revision_id, 'deploy')
    return said.every((text) => log.includes(text))
  })
}, 30_000)

test.each(families)(
  '%s: pages in either order join without gap or overlap, and newest first they end',
  async (_id, read) => {
    const whole = linesOf(await read({ type: 'deploy', order: 'asc', limit: 100 })).map((line) => line.id)
    expect(whole.length).toBeGreaterThan(6)
    expect(new Set(whole).size).toBe(whole.length)
    for (const order of ['asc', 'desc']) {
      const paged: string[] = []
      let cursor: string | null = null
      do {
        const page: Page = await read({ type: 'deploy', order, limit: 3, ...(cursor && { offset: cursor }) })
        expect(linesOf(page).length).toBeLessThanOrEqual(3)
        paged.push(...linesOf(page).map((line) => line.id))
        cursor = cursorOf(page)
      } while (cursor)
      expect(paged).toEqual(order === 'asc' ? whole : whole.toReversed())
    }
  },
)

test('oldest first, the last cursor stays valid and returns later lines', async () => {
  const all = await FAMILIES.listRevisionLogs({ type: 'deploy', limit: 1000 })
  const next = { type: 'deploy', offset: cursorOf(all) }
  expect(linesOf(await FAMILIES.listRevisionLogs(next))).toEqual([])
  await it.fixture.client.get(`/agents/${deployment_id}/say?text=later`)
  await waitFor('later', async () => linesOf(await FAMILIES.listRevisionLogs(next)).length > 0)
  expect(linesOf(await FAMILIES.listRevisionLogs(next)).map((line) => line.message)).toEqual(['later'])
})

test.each(families)('%s: each filter works, alone and combined', async (_id, read) => {
  const messages = async (query: Record<string, unknown>) =>
    linesOf(await read({ type: 'deploy', order: 'asc', limit: 100, ...query })).map((line) => line.message)
  expect(await messages({ query: 'RUN BROKE' })).toEqual(['a run broke'])
  expect(await messages({ query: '0% of a_' })).toEqual(['100% of a_b'])
  expect(await messages({ query: 'a%b' })).toEqual([])
  expect(await messages({ level: 'CRITICAL' })).toEqual(['all is lost'])
  expect(await messages({ level: 'ERROR' })).toEqual(['a run broke', 'all is lost'])
  expect(await messages({ level: 'WARNING' })).toContain('odd')
  expect(await messages({ level: 'WARNING' })).not.toContain('100% of a_b')
  expect(await messages({ run_id: 'r-1' })).toEqual(['a run broke'])
  expect(await messages({ run_id: 'r-1', level: 'CRITICAL' })).toEqual([])
  expect(await messages({ query: 'a run', run_id: 'r-1', level: 'ERROR', order: 'desc' })).toEqual(['a run broke'])
  expect(
    linesOf(await read({ type: 'build', limit: 100 }))
      .map((line) => line.message)
      .join(),
  ).not.toContain('a run broke')
})

test('a time range includes both ends, as ISO text in any zone and as seconds or milliseconds', async () => {
  const lines = linesOf(await FAMILIES.listRevisionLogs({ type: 'deploy', limit: 1000 }))
  const broke = lines.find((line) => line.message === 'a run broke') as Line
  const at = Date.parse(broke.timestamp)
  const within = async (start_time: unknown, end_time: unknown) =>
    linesOf(await FAMILIES.listRevisionLogs({ type: 'deploy', start_time, end_time, run_id: 'r-1' })).length
  const plusTwo = new Date(at + 7_200_000).toISOString().replace('Z', '+02:00')
  expect([
    await within(broke.timestamp, broke.timestamp),
    await within(at, at),
    await within(plusTwo, plusTwo),
    await within((at - 1) / 1000, (at + 1) / 1000),
    await within(at + 1, undefined),
    await within(undefined, at - 1),
    await within('2020-01-01', '2020-01-02 10:00'),
  ]).toEqual([1, 1, 1, 1, 0, 0, 0])
})

test('returns lines of all revisions, or of one if it is named', async () => {
  const all = linesOf(await FAMILIES.listDeploymentLogs({ type: 'build', limit: 1000 }))
  const ofOther = linesOf(
    await FAMILIES.searchDeploymentLogs({ type: 'build', limit: 100, order: 'asc', revision_id: other }),
  )
  const ofLatest = linesOf(await FAMILIES.listRevisionLogs({ type: 'build', limit: 1000 }))
  expect(ofOther.length).toBeGreaterThan(2)
  expect(ofLatest.length).toBeGreaterThan(2)
  expect(all).toEqual([...ofOther, ...ofLatest])
})

test('defaults: 50 lines oldest first; the search has 20 lines of the deploy log, newest first', async () => {
  const asIs = await it.call('searchDeploymentLogs', { query: { deployment_id } })
  const times = linesOf(asIs).map((line) => Number(line.id))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(linesOf(asIs).map((line) => line.message)).toContain('all is lost')
  const plain = linesOf(
    await it.call('listRevisionLogs', { params: { deployment_id, revision_id }, query: { type: 'deploy' } }),
  )
  expect(plain.map((line) => Number(line.id))).toEqual(plain.map((line) => Number(line.id)).toSorted((a, b) => a - b))
  expect(plain[0]).toEqual({
    id: expect.any(String),
    timestamp: expect.stringMatching(/Z$/),
    level: 'INFO',
    message: expect.any(String),
    revision_id,
  })
})

test.each([
  ['listRevisionLogs', {}, 'type: missing'],
  ['listRevisionLogs', { type: 'server' }, 'type: enum'],
  ['listRevisionLogs', { type: 'build', order: 'up' }, 'order: enum'],
  ['listRevisionLogs', { type: 'build', limit: 0 }, 'limit: greater_than_equal'],
  ['listRevisionLogs', { type: 'build', limit: 1001 }, 'limit: less_than_equal'],
  ['listRevisionLogs', { type: 'build', level: 'LOUD' }, 'level: enum'],
  ['listRevisionLogs', { type: 'build', offset: 'x' }, 'offset: value_error'],
  ['listDeploymentLogs', {}, 'type: missing'],
  ['listDeploymentLogs', { type: 'build', start_time: 'never' }, 'start_time: datetime_parsing'],
  ['listDeploymentLogs', { type: 'build', end_time: '5 o’clock' }, 'end_time: datetime_parsing'],
  ['searchDeploymentLogs', { deployment_id: 'x' }, 'deployment_id: uuid_parsing'],
  ['searchDeploymentLogs', {}, 'deployment_id: missing'],
  ['searchDeploymentLogs', { deployment_id: UNKNOWN_ID, log_type: 'build' }, 'log_type: enum'],
  ['searchDeploymentLogs', { deployment_id: UNKNOWN_ID, page_size: 101 }, 'page_size: less_than_equal'],
  ['searchDeploymentLogs', { deployment_id: UNKNOWN_ID, sort_order: 'up' }, 'sort_order: enum'],
] as const)('%s with %o is a 422 with the parameter', async (id, query, place) => {
  expect(refusedFields(await it.call(id, { params: { deployment_id, revision_id }, query }))).toEqual([
    `query.${place}`,
  ])
})

test('the search refuses a cursor from elsewhere, and an unknown deployment is not found', async () => {
  expect(refusedFields(await it.call('searchDeploymentLogs', { query: { deployment_id, cursor: 'x' } }))).toEqual([
    'query.cursor: value_error',
  ])
  expect(refusedFields(await it.call('searchDeploymentLogs', { query: { deployment_id, revision_id: 'x' } }))).toEqual([
    'query.revision_id: uuid_parsing',
  ])
  expect((await it.call('searchDeploymentLogs', { query: { deployment_id: UNKNOWN_ID } })).status).toBe(404)
})

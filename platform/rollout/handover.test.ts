import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixture, type Fixture, isAlive, until } from '../testing/platform-fixture'
import { tickerFiles } from '../testing/ticker.mjs'

// What becomes of runs that are in progress when another revision takes over, with real agent servers.

const DRAIN_MS = 1500
let fixture: Fixture
let id: string
let agent: string
let headers: Record<string, string>
beforeAll(async () => {
  fixture = await createFixture({ agentServerEntry: undefined, readyTimeoutMs: 60_000, drainMs: DRAIN_MS })
  const repository = fixture.repository()
  repository.commit(tickerFiles())
  const { body } = await fixture.client.create('handover', repository.url)
  id = body.id
  agent = `${fixture.platform.url}/agents/${id}`
  headers = { 'x-api-key': fixture.platform.apiKey }
  await fixture.client.settled(id, body.latest_revision_id, 'DEPLOYED')
}, 60_000)
afterAll(() => fixture?.close(), 30_000)

type Event = { id: string; event: string; data: Record<string, unknown> }
/** The whole events of a stream, up to its end or to where it was cut. */
async function read(response: Response): Promise<{ events: Event[]; wasCut: boolean }> {
  let text = ''
  const decoder = new TextDecoder()
  let wasCut = false
  try {
    for await (const part of response.body as ReadableStream<Uint8Array>) text += decoder.decode(part, { stream: true })
  } catch {
    wasCut = true
  }
  const blocks = text.split('\n\n').slice(0, -1)
  const events = blocks.flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
    const event = field('event')
    return event ? [{ id: field('id') ?? '', event, data: JSON.parse(field('data') ?? '{}') }] : []
  })
  return { events, wasCut }
}
const numbers = (events: Event[]) => events.filter(({ event }) => event === 'custom').map(({ data }) => data.n)
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)
const stream = (resource: string, more: Record<string, string> = {}) =>
  fetch(agent + resource, { headers: { ...headers, ...more } })

/** A run on a thread of its own that takes one step every 100 ms. */
async function startRun(steps: number, fields: Record<string, unknown>) {
  const { client } = fixture
  const { thread_id } = (await client.request('POST', `/agents/${id}/threads`, {})).body
  const { body } = await client.request('POST', `/agents/${id}/threads/${thread_id}/runs`, {
    assistant_id: 'ticker',
    input: { events: steps, steps, ms: 100 },
    config: { recursion_limit: 200 },
    stream_mode: ['custom'],
    ...fields,
  })
  return `/threads/${thread_id}/runs/${body.run_id}`
}
async function rollOut() {
  const { body } = await fixture.client.request('POST', `/v2/deployments/${id}/revisions`, {})
  await fixture.client.settled(id, body.id, 'DEPLOYED')
  return body.id as string
}
const processId = async (revision: string) =>
  Number(/as process (\d+)/.exec(await fixture.client.log(id, revision, 'deploy'))?.[1])
const active = async () => (await fixture.client.get(`/v2/deployments/${id}`)).body.active_revision_id as string

test('a run that nobody reads is finished by the process that began it, when that takes less than the drain limit', async () => {
  const before = await processId(await active())
  const begun = Date.now()
  const second = rollOut()
  // Begun late enough to be in progress at the switch, however long the new one takes to start.
  let last = ''
  while ((await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 200))])) === undefined)
    last = await startRun(8, { stream_resumable: true })
  expect(isAlive(before)).toBe(true)
  const { events } = await read(await stream(`${last}/stream`, { 'last-event-id': '-1' }))
  expect(numbers(events)).toEqual(upTo(8))
  expect(events[0]).toMatchObject({ event: 'metadata', data: { attempt: 1 } })
  expect(events.filter(({ event }) => event === 'metadata')).toHaveLength(1)
  await until('the old process is gone', () => !isAlive(before))
  expect(Date.now() - begun).toBeGreaterThan(800)
  const revision = await second
  // The process is gone a moment before the log says so.
  await until('the log says so', async () =>
    /before this one \(process \d+\) has ended/.test(await fixture.client.log(id, revision, 'deploy')),
  )
}, 60_000)

test('after the drain limit runs are handed on: a resumable stream goes on with Last-Event-ID, none lost or doubled; another can be joined', async () => {
  const starting = rollOut()
  const runs = { resumable: '', plain: '' }
  // Long enough for the start of the new one and the drain limit together.
  runs.resumable = await startRun(80, { stream_resumable: true })
  runs.plain = await startRun(80, {})
  const first = stream(`${runs.resumable}/stream`, { 'last-event-id': '-1' }).then(read)
  const plain = stream(`${runs.plain}/stream`).then(read)
  const revision = await starting
  const [one, other] = await Promise.all([first, plain])
  expect([one.wasCut, other.wasCut]).toEqual([true, true])
  expect(await fixture.client.log(id, revision, 'deploy')).toMatch(
    /had 2 open requests and runs in progress after 1\.\d s: it is ended now/,
  )

  const rest = await read(await stream(`${runs.resumable}/stream`, { 'last-event-id': one.events.at(-1)?.id ?? '' }))
  const whole = [...one.events, ...rest.events]
  expect(numbers(whole)).toEqual(upTo(80))
  const attempts = whole.filter(({ event }) => event === 'metadata').map(({ data }) => data.attempt)
  expect(attempts).toEqual([1, 2])
  expect(rest.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
  const joined = await fixture.client.get(`/agents/${id}${runs.plain}/join`)
  expect(joined.body).toMatchObject({ done: 80 })
}, 60_000)

import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixture, type Fixture, isAlive, waitFor } from '../testing/platform-fixture'
import { tickerFiles } from '../testing/ticker.mjs'

// Runs in progress while another revision takes over, with real agent servers.

let fixture: Fixture
let id: string
let agent: string
let headers: Record<string, string>
/** While this file exists, every run waits in the middle of its steps. */
let held: string
beforeAll(async () => {
  fixture = await createFixture({ agentServerEntry: undefined, readyTimeoutMs: 60_000, drainMs: 60_000 })
  held = path.join(fixture.folder, 'held')
  const repository = fixture.repository()
  repository.commit(tickerFiles())
  const { body } = await fixture.client.create('handover', repository.url)
  id = body.id
  agent = `${fixture.platform.url}/agents/${id}`
  headers = { 'x-api-key': fixture.platform.apiKey }
  await fixture.client.waitForStatus(id, body.latest_revision_id, 'DEPLOYED')
}, 60_000)
afterAll(() => fixture?.close(), 30_000)

type Event = { id: string; event: string; data: Record<string, unknown> }
/** The complete events of a stream, up to its end or to where it was cut. */
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

const STEPS = 10
/** A run on a new thread, held in the middle of its steps. */
async function startRun(fields: Record<string, unknown>) {
  const { client } = fixture
  const { thread_id } = (await client.request('POST', `/agents/${id}/threads`, {})).body
  const { body } = await client.request('POST', `/agents/${id}/threads/${thread_id}/runs`, {
    assistant_id: 'ticker',
    input: { events: STEPS, steps: STEPS, ms: 5, hold: held },
    stream_mode: ['custom'],
    ...fields,
  })
  return `/threads/${thread_id}/runs/${body.run_id}`
}
async function rollOut() {
  const { body } = await fixture.client.request('POST', `/v2/deployments/${id}/revisions`, {})
  await fixture.client.waitForStatus(id, body.id, 'DEPLOYED')
  return body.id as string
}
const processId = async (revision: string) =>
  Number(/as process (\d+)/.exec(await fixture.client.log(id, revision, 'deploy'))?.[1])
const active = async () => (await fixture.client.get(`/v2/deployments/${id}`)).body.active_revision_id as string

test('a run without readers is finished by its own process if it ends within the drain limit', async () => {
  writeFileSync(held, '')
  const before = await processId(await active())
  const run = await startRun({ stream_resumable: true })
  await waitFor(
    'it is in progress',
    async () => (await fixture.client.get(`/agents/${id}${run}`)).body.status === 'running',
  )
  const second = await rollOut()
  expect(isAlive(before)).toBe(true)
  rmSync(held)
  const { events } = await read(await stream(`${run}/stream`, { 'last-event-id': '-1' }))
  expect(numbers(events)).toEqual(upTo(STEPS))
  expect(events[0]).toMatchObject({ event: 'metadata', data: { attempt: 1 } })
  expect(events.filter(({ event }) => event === 'metadata')).toHaveLength(1)
  await waitFor('the old process is gone', () => !isAlive(before))
  const log = () => fixture.client.log(id, second, 'deploy')
  await waitFor('it is said', async () => (await log()).includes('exited'))
  expect(await log()).toMatch(/The previous agent server \(process \d+\) exited/)
}, 60_000)

test('after the drain limit runs are handed over: a resumable stream continues after Last-Event-ID without loss or duplicates, and other runs can be joined', async () => {
  await fixture.platform.stop()
  await fixture.start({ drainMs: 300 })
  await waitFor('it serves', async () => (await fixture.client.get(`/agents/${id}/ok`)).status === 200)
  writeFileSync(held, '')
  const runs = { resumable: await startRun({ stream_resumable: true }), plain: await startRun({}) }
  const first = stream(`${runs.resumable}/stream`, { 'last-event-id': '-1' }).then(read)
  const plain = stream(`${runs.plain}/stream`).then(read)
  const revision = await rollOut()
  const [one, other] = await Promise.all([first, plain])
  expect([one.wasCut, other.wasCut]).toEqual([true, true])
  expect(await fixture.client.log(id, revision, 'deploy')).toMatch(
    /had 2 open requests and runs in progress after \d+\.\d s\. It is stopped now/,
  )
  expect(numbers(one.events)).toEqual(upTo(STEPS / 2))
  rmSync(held)

  const rest = await read(await stream(`${runs.resumable}/stream`, { 'last-event-id': one.events.at(-1)?.id ?? '' }))
  const whole = [...one.events, ...rest.events]
  expect(numbers(whole)).toEqual(upTo(STEPS))
  const attempts = whole.filter(({ event }) => event === 'metadata').map(({ data }) => data.attempt)
  expect(attempts).toEqual([1, 2])
  expect(rest.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
  const joined = await fixture.client.get(`/agents/${id}${runs.plain}/join`)
  expect(joined.body).toMatchObject({ done: STEPS })
}, 60_000)

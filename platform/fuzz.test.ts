import { afterAll, beforeAll, expect, test } from 'vitest'
import { named, shortFuzz } from '@/e2e/support/fuzz/short'
import { controlPlaneSurface, tracesSurface } from '@/e2e/support/fuzz/surfaces'
import { INTEGRATION_ID } from './control-plane/platform'
import { createFixture, type Fixture } from './testing/platform-fixture'

// A part of `scripts/checks/fuzz.mjs` that is short enough for each run of the tests.

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture()
})
afterAll(() => fixture.close())

test('no request made from the schemas is answered with a failure of the control plane or the tracing API', async () => {
  const { url, apiKey } = fixture.platform
  const id = '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001'
  const things = {
    integration: INTEGRATION_ID,
    deployment: id,
    spare: id,
    revision: id,
    project: id,
    trace: id,
    run: id,
  }
  const { problems, statuses } = await shortFuzz([controlPlaneSurface(), tracesSurface()], {
    count: 250,
    fill: (request) => {
      const filled = named(request, things)
      return { ...filled, headers: { 'x-api-key': apiKey, ...filled.headers }, origin: url }
    },
  })
  expect(problems).toEqual([])
  expect([...statuses]).toEqual(expect.arrayContaining([200, 401, 404, 422]))
  expect(fixture.lines.filter((line) => /failed \(request/.test(line))).toEqual([])
})

test('a body that is nested too deep is answered 422', async () => {
  const { url, apiKey } = fixture.platform
  for (const [method, place] of [
    ['PATCH', '/v2/listeners/6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001'],
    ['POST', '/runs/query'],
  ] as const) {
    const body = `${'['.repeat(3000)}${']'.repeat(3000)}`
    const response = await fetch(url + place, { method, headers: { 'x-api-key': apiKey }, body })
    expect([place, response.status, await response.text()]).toEqual([
      place,
      422,
      expect.stringContaining('levels deep'),
    ])
  }
})

test('a logged run keeps no `extra` that is not an object, which no reader could take', async () => {
  const { url, apiKey } = fixture.platform
  const send = (method: string, place: string, body?: unknown) =>
    fetch(url + place, { method, headers: { 'x-api-key': apiKey }, body: body ? JSON.stringify(body) : undefined })
  const id = '7f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0002'
  const run = { id, trace_id: id, name: 'one', run_type: 'chain', start_time: '2026-01-01T00:00:00Z', extra: [1] }
  const answer = await send('POST', '/runs/batch', { post: [{ ...run, dotted_order: `20260101T000000000000Z${id}` }] })
  expect(await answer.text()).toContain('valid dictionary')
  const read = await send('GET', `/runs/${id}`)
  expect(await read.json()).toMatchObject({ id, name: 'one' })
  expect(await (await send('GET', `/runs/${id}`)).json()).not.toHaveProperty('extra')
})

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

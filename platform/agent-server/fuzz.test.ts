import { afterAll, beforeAll, expect, test } from 'vitest'
import { named, shortFuzz } from '@/e2e/support/fuzz/short'
import { agentSurface } from '@/e2e/support/fuzz/surfaces'
import { type TestServer, testServer } from './testing'

// A part of `scripts/checks/fuzz.mjs` that is short enough for each run of the tests.

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

test('no request made from the schemas is answered with a failure of the agent server', async () => {
  const thread = await server.newThread()
  const { json: assistant } = await server.post('/assistants', { graph_id: 'counter' })
  const things = { thread, assistant: assistant.assistant_id, run: thread, cron: thread, checkpoint: thread }
  const { problems, statuses } = await shortFuzz([agentSurface('')], {
    count: 200,
    fill: (request) => ({ ...named(request, things), origin: server.url }),
  })
  expect(problems).toEqual([])
  expect([...statuses]).toEqual(expect.arrayContaining([200, 404, 422]))
  expect(server.logs.filter((line) => /failed \(request|unhandled/i.test(line))).toEqual([])
})

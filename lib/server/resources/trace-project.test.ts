import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { testActor, testConsole } from '../testing'
import { foreignProject } from './trace-project'

const silent = createServer(() => {}) // accepts requests and never answers
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
const home = await testConsole()
const actor = await testActor({ silent: 'viewer' })
afterAll(async () => {
  vi.restoreAllMocks()
  silent.closeAllConnections()
  silent.close()
  await home.close()
})

test('a trace opens where its link says when the tracing server does not answer in time', async () => {
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'silent', name: 'Silent', dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: url, traces: { url } },
    }),
  )
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.min(ms, 200)))
  const place = { workspace: 'silent', deploymentId: 'a2c9c5f0-0000-4000-8000-000000000000' }
  expect(await foreignProject(place, 'a2c9c5f0-0000-4000-8000-000000000001', actor)).toBeUndefined()
})

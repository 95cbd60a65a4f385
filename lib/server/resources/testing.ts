import { type FaultProxy, startFaultProxy } from '@/e2e/support/fault-proxy'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { testServer } from '@/platform/agent-server/testing'
import { workspaceFor } from '../recorder/testing'
import { testActor, testConsole } from '../testing'

// For tests only.

/** A console with the embedded agent server, which `at` reaches over the breakable `wire` unless `isDirect`. */
export async function testAgentConsole({
  isDirect = false,
  configPath,
}: {
  isDirect?: boolean
  configPath?: string
} = {}) {
  const server = await testServer({ ...(configPath && { configPath }) })
  const wire: FaultProxy = await startFaultProxy(server.url)
  const home = await testConsole()
  const at: DeploymentPlace = {
    workspace: 'tests',
    deploymentId: await workspaceFor(isDirect ? server.url : wire.url),
  }
  return {
    server,
    wire,
    at,
    developer: await testActor({ tests: 'developer' }),
    viewer: await testActor({ tests: 'viewer' }),
    async close() {
      await home.close()
      await wire.stop()
      await server.close()
    },
  }
}

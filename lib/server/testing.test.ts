import { expect, test, vi } from 'vitest'
import { shutdownSignal } from './process/shutdown'
import { adoptHub } from './recorder/shared-hub'
import { testConsole } from './testing'

test('a recorder ends with the console of its test, and the next console does not begin stopped', async () => {
  const home = await testConsole()
  const hub = adoptHub()
  await hub.start()
  const stop = vi.spyOn(hub, 'stop')
  await home.close()
  expect(stop).toHaveBeenCalledOnce()
  expect(shutdownSignal().aborted).toBe(false)
})

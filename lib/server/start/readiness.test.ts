import { afterAll, beforeAll, expect, test } from 'vitest'
import { GET } from '@/app/readyz/route'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { adoptHub, recorderHub } from '../recorder/shared-hub'
import { until } from '../recorder/testing'
import { type TestConsole, testConsole } from '../testing'

let home: TestConsole
let proxy: Awaited<ReturnType<typeof databaseProxy>>

beforeAll(async () => {
  home = await testConsole()
  proxy = await databaseProxy(home.databaseUrl)
  home.set({ DATABASE_DIRECT_URL: proxy.url })
  adoptHub()
})
afterAll(async () => {
  await recorderHub().stop()
  await proxy.close()
  await home.close()
})

const ask = async () => {
  const response = await GET()
  return [response.status, await response.json()]
}
const readyWith = (...warnings: unknown[]) => [200, { status: 'ready', problems: [], warnings }]

test('an instance whose recorder has not started, or hears nothing of others, is ready and says so', async () => {
  proxy.setDown(true)
  await expect(recorderHub().start()).rejects.toThrow()
  expect(await ask()).toEqual(readyWith(expect.stringMatching(/recorder has not started/)))
  proxy.setDown(false)
  await recorderHub().start()
  expect(await ask()).toEqual(readyWith())
  proxy.setDown(true)
  await until(() => !recorderHub().line.isOpen)
  expect(await ask()).toEqual(readyWith(expect.stringMatching(/connection .* other instances/)))
  proxy.setDown(false)
  await until(() => recorderHub().line.isOpen)
  expect(await ask()).toEqual(readyWith())
})

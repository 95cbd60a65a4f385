import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { GET } from '@/app/readyz/route'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { sharedLimiter } from '../access/shared-limiter'
import { adoptStore } from '../process/db'
import { adoptHub, recorderHub } from '../recorder/shared-hub'
import { until } from '../recorder/testing'
import { forgetLimits, type TestConsole, testConsole } from '../testing'

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

const warnings = async () => (await (await GET()).json()).warnings

test('an instance whose recorder has not started, or hears nothing of others, is ready and says so', async () => {
  proxy.setDown(true)
  await expect(recorderHub().start()).rejects.toThrow()
  expect(await warnings()).toEqual([expect.stringMatching(/recorder has not started/)])
  await until(async () => (await GET()).status === 200)
  proxy.setDown(false)
  await recorderHub().start()
  expect(await warnings()).toEqual([])
  proxy.setDown(true)
  await until(() => !recorderHub().line.isOpen)
  expect(await warnings()).toEqual([expect.stringMatching(/connection .* other instances/)])
  await until(async () => (await GET()).status === 200)
  proxy.setDown(false)
  await until(() => recorderHub().line.isOpen)
  expect(await warnings()).toEqual([])
})

test('an instance that counts alone because the database or so many addresses leave no choice says so', async () => {
  expect(await warnings()).toEqual([])
  await adoptStore('postgres://nobody@127.0.0.1:1/none')
  expect(await sharedLimiter().take({ key: 'a token', max: 1, windowMs: 60_000 })).toEqual({ isAllowed: true })
  await adoptStore(home.databaseUrl)
  expect(await warnings()).toEqual([expect.stringMatching(/^The limits of requests/)])
  await forgetLimits()
  vi.spyOn(sharedLimiter(), 'isCrowded').mockReturnValue(true)
  expect(await warnings()).toEqual([expect.stringMatching(/^Many addresses/)])
})

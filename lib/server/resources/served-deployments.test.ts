import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { InboxReader } from '../inbox/inbox-reader'
import { type TestConsole, testConsole } from '../testing'
import { servedDeployments } from './served-deployments'

/** A list is kept for 19 times as long as reading it took, which must be longer than the test. */
const PAGE_MS = 200

let home: TestConsole
let stub: StubUpstream
let count = 0
const lists = () => stub.seen.filter(({ path }) => path.startsWith('/v2/deployments?')).length

beforeAll(async () => {
  home = await testConsole()
  stub = await startStubUpstream(async ({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://stub')
    if (pathname.endsWith('/threads/search')) return { body: [] }
    if (searchParams.has('offset')) await sleep(PAGE_MS)
    const offset = Number(searchParams.get('offset'))
    const page = Array.from({ length: Math.min(100, count - offset) }, (_, index) => ({
      ...deploymentRecord(`${stub.url}/agents/d${offset + index}`),
      ...{ id: `d${offset + index}`, name: `d${offset + index}`, active_revision_id: 'one' },
    }))
    return { body: { resources: page, offset: offset + page.length } }
  })
  for (const slug of ['few', 'many'])
    await insertWorkspace(
      NewWorkspace.parse({
        ...{ kind: 'control-plane', slug, name: slug, dialect: 'auto', allowedOrigins: [] },
        ...{ baseUrl: stub.url, keys: { apiKey: 'key' } },
      }),
    )
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})

test('a list of several pages is read once for all readers, also for one that has left', async () => {
  count = 250
  const gone = new AbortController()
  const first = new InboxReader('many').read(gone.signal)
  await expect.poll(lists).toBeGreaterThan(0)
  gone.abort()
  await first.catch(() => undefined)
  const { pending } = await new InboxReader('many', { perLook: 100 }).read(AbortSignal.timeout(10_000))
  expect(pending).toBe(150)
  expect(await servedDeployments('many', null)).toHaveLength(250)
  expect(lists()).toBe(3)
})

test('a list of one page is read for each reader, so that a new deployment is there at once', async () => {
  count = 5
  const before = lists()
  expect(await servedDeployments('few', null)).toHaveLength(5)
  count = 6
  expect(await servedDeployments('few', null)).toHaveLength(6)
  expect(lists() - before).toBe(2)
})

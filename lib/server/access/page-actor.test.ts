import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { STORE_AWAY } from '@/lib/errors'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { adoptStore, db } from '../process/db'
import { signIn, type TestConsole, testActor, testConsole } from '../testing'
import { pageActor, pageWorkspace } from './page-actor'
import { browser } from './testing'
import { insertWorkspace } from './workspace-settings'

vi.mock('next/headers', () => import('./testing'))

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
  for (const slug of ['bench', 'desk'])
    await insertWorkspace({ kind: 'direct', slug, name: slug, dialect: 'auto', allowedOrigins: [] })
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  browser.cookies.clear()
  browser.headers = { 'x-path': '/desk/runs?status=error' }
  await (await db()).execute(sql`truncate console.accounts cascade`)
})

/** What Next throws to answer a request otherwise: `NEXT_REDIRECT;replace;/sign-in;307;`, or a status. */
const answer = async (work: Promise<unknown>) => {
  const error = (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { digest?: string } | undefined
  return error?.digest
}
const goesTo = async (work: Promise<unknown>) => (await answer(work))?.split(';')[2]
const BACK = encodeURIComponent('/desk/runs?status=error')

test('a page that the database keeps from being shown can name the reason', async () => {
  const proxy = await databaseProxy(home.databaseUrl)
  await adoptStore(proxy.url)
  await signIn(await testActor({ desk: 'viewer' }))
  proxy.failNext('cut statement', 'ended_sessions')
  expect(await answer(pageActor())).toBe(STORE_AWAY)
  proxy.failNext('cut statement', 'order by')
  expect(await answer(pageWorkspace('desk'))).toBe(STORE_AWAY)
  await adoptStore(home.databaseUrl)
  await proxy.close()
})

describe('a page', () => {
  test('is shown to the user of the session', async () => {
    const person = await signIn(await testActor({ desk: 'viewer' }))
    expect(await pageActor()).toMatchObject({ id: person.id, kind: 'user' })
  })

  test('leads a first visitor to sign-in and back, and says in a running console that the session has ended', async () => {
    expect(await goesTo(pageActor())).toBe(`/sign-in?callbackUrl=${BACK}`)
    browser.headers = { ...browser.headers, 'sec-fetch-dest': 'document' }
    expect(await goesTo(pageActor())).toBe(`/sign-in?callbackUrl=${BACK}`)
    browser.headers = { ...browser.headers, 'sec-fetch-dest': 'empty' }
    expect(await goesTo(pageActor())).toBe(`/sign-in?callbackUrl=${BACK}&ended=1`)
    browser.headers = {}
    expect(await goesTo(pageActor())).toBe('/sign-in')
  })

  test('leads somebody with an initial password to the page that changes it, and back', async () => {
    const person = await testActor({ desk: 'viewer' })
    await signIn({ ...person, session: { ...person.session, hasInitialPassword: true } as never })
    expect(await goesTo(pageActor())).toBe(`/new-password?callbackUrl=${BACK}`)
    browser.headers = {}
    expect(await goesTo(pageActor())).toBe('/new-password')
  })

  test('fails while the store does, and signs nobody out', async () => {
    await signIn(await testActor({ desk: 'viewer' }))
    const store = await db()
    await store.execute(sql`alter table console.accounts rename to accounts_away`)
    try {
      await expect(pageActor()).rejects.toThrow('Failed query')
    } finally {
      await store.execute(sql`alter table console.accounts_away rename to accounts`)
    }
  })
})

describe("a workspace's page", () => {
  test('has that workspace, and all others of its user', async () => {
    const person = await signIn(await testActor({ desk: 'viewer', bench: 'admin' }))
    const { actor, current, all } = await pageWorkspace('desk')
    expect([actor.id, current.slug, current.role]).toEqual([person.id, 'desk', 'viewer'])
    expect(all.map(({ slug, role }) => [slug, role])).toEqual([
      ['bench', 'admin'],
      ['desk', 'viewer'],
    ])
  })

  test('does not exist for somebody without a role in it', async () => {
    await signIn(await testActor({ desk: 'admin' }))
    for (const slug of ['bench', 'nowhere'])
      expect(await answer(pageWorkspace(slug))).toBe('NEXT_HTTP_ERROR_FALLBACK;404')
  })
})

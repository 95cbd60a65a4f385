import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as route from '@/app/api/public/run/route'
import type { LogEntry } from '@/lib/stream/log'
import { RecordingFileReader } from '@/lib/stream/recording-file'
import type { Actor } from '../access/actor'
import { findToken } from '../access/api-tokens'
import { db } from '../process/db'
import { workspaces } from '../process/schema'
import { publicLinks, recordings, segments } from '../recorder/schema'
import { recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import { type ScriptedServer, scriptedServer, summaryOf, until, workspaceFor } from '../recorder/testing'
import { forgetLimits, type TestConsole, testActor, testConsole } from '../testing'
import { createToken } from './api-tokens'
import { allowPublicLinks, createPublicLink, listPublicLinks, openPublicLink, revokePublicLink } from './public-links'

const workspace = 'tests'
const NOT_FOUND = { code: 'not_found', message: 'This link does not exist, has expired or was revoked.' }
let home: TestConsole
let server: ScriptedServer
let developer: Actor
let admin: Actor
let deploymentId: string

beforeAll(async () => {
  home = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  developer = await testActor({ [workspace]: 'developer' })
  admin = await testActor({ [workspace]: 'admin' })
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await home.close()
})
beforeEach(async () => {
  await forgetLimits()
  await allow(true)
})

const allow = (isAllowed: boolean) => allowPublicLinks(admin, { workspace, isAllowed }, 'request')
const share = (recording: string) => createPublicLink(developer, { workspace, recording, days: 7 }, 'request')
const read = (token: string, headers: Record<string, string> = {}) =>
  route.GET(
    new Request('http://localhost:3000/api/public/run', { headers: { authorization: `Bearer ${token}`, ...headers } }),
  )
/** Base64url, which may have underscores too. */
const secretOf = (token: string) => token.split('_').slice(2).join('_')
const refusal = async (response: Response) => ({ status: response.status, ...(await response.json()) })

/** A recording whose run has ended, unless `isOpen`. */
async function record({ isOpen = false } = {}): Promise<string> {
  const { id } = await startRecording({
    ...{ actor: developer, workspace, deploymentId, thread: { kind: 'new' } },
    body: {
      assistant_id: 'agent',
      input: { question: 'Why?', api_key: 'canary-input' },
      config: { configurable: { authorization: 'Bearer canary-header' } },
    },
  })
  server.latest().emit('custom', { said: 'hello', nested: [{ password: 'canary-custom' }] })
  server.latest().emit('values', { token: 'canary-values', note: 'lsv2_pt_canary', count: 2 })
  server
    .latest()
    .emit('custom', { arguments: '{"api_key":"canary-arguments"}', said: 'Use Bearer canary-in-a-sentence' })
  server.latest().emit('error', 'The key lsv2_pt_canary is not valid.')
  server.latest().kwargs = {
    input: { api_key: 'canary-run', messages: [{ type: 'human', content: 'Bearer canary-message' }] },
  }
  if (isOpen) return id
  server.latest().finish('success')
  await until(async () => (await summaryOf(id)).phase === 'ended')
  return id
}

test('a link opens the whole recording without a session, and nothing says whose it is', async () => {
  const recording = await record()
  const { id, token } = await share(recording)
  const response = await read(token, { cookie: 'next-auth.session-token=whatever' })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-robots-tag')).toContain('noindex')
  expect(response.headers.get('cache-control')).toContain('no-store')
  const text = await response.text()
  const reader = new RecordingFileReader()
  const entries: LogEntry[] = [...reader.push(text), ...reader.end()]
  expect(reader.isWhole).toBe(true)
  expect(entries.at(-1)).toMatchObject({ kind: 'final', outcome: 'success' })
  expect(text).toContain('hello')
  expect(text).toContain('Why?')
  for (const hidden of ['canary', developer.email, deploymentId, `"${workspace}"`]) expect(text).not.toContain(hidden)

  const { links } = await listPublicLinks(admin, workspace, recording)
  expect(links).toMatchObject([{ id, recording, deployment: deploymentId, opens: 1, createdBy: developer.email }])
  const stored = await (await db()).select().from(publicLinks).where(eq(publicLinks.id, id))
  expect(JSON.stringify(stored)).not.toContain(secretOf(token))
  const audit = await (await db()).execute(sql`select operation, params::text from console.audit where kind = 'intent'`)
  const operations = audit.rows.map((row) => row.operation)
  expect(operations).toEqual(expect.arrayContaining(['allowPublicLinks', 'createPublicLink']))
  expect(JSON.stringify(audit.rows)).not.toContain(secretOf(token))
})

describe('refuses, in the same words for every reason,', () => {
  let recording: string
  beforeAll(async () => {
    recording = await record()
  })

  test('guesses, other kinds of tokens, and parts of two links', async () => {
    const [one, other] = [await share(recording), await share(await record())]
    const [prefix, id] = one.token.split('_')
    const secret = secretOf(one.token)
    const api = await createToken(
      admin,
      { workspace, name: 'ci', kind: 'service', role: 'admin', deployments: null, days: 7 },
      'request',
    )
    const guesses = [
      ...[
        '',
        'x',
        recording,
        one.id,
        `${prefix}_${id}`,
        `${prefix}_${id}_`,
        `${one.token}a`,
        ` ${one.token}`.repeat(2),
      ],
      `${prefix}_${id}_${'A'.repeat(43)}`,
      `${prefix}_${id}_${secretOf(other.token)}`,
      `${prefix}_${recording.replaceAll('-', '')}_${secret}`,
      `pht_${id}_${secret}`,
      api.token,
    ]
    for (const guess of guesses)
      expect(await refusal(await read(guess)), guess).toMatchObject({ status: 404, ...NOT_FOUND })
    expect(await findToken(`Bearer ${one.token}`)).toBeUndefined()
    expect((await read(one.token)).status).toBe(200)
  })

  test('an expired link', async () => {
    const { id, token } = await share(recording)
    await (await db())
      .update(publicLinks)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(publicLinks.id, id))
    expect(await refusal(await read(token))).toMatchObject({ status: 404, ...NOT_FOUND })
    expect((await listPublicLinks(admin, workspace, recording)).links.map((link) => link.id)).not.toContain(id)
  })

  test('a revoked link, also while it is being read', async () => {
    const { id, token } = await share(recording)
    const { parts } = await openPublicLink(`Bearer ${token}`)
    expect((await parts.next()).done).toBe(false)
    await revokePublicLink(developer, { workspace, id }, 'request')
    await expect(parts.next()).rejects.toMatchObject(NOT_FOUND)
    expect(await refusal(await read(token))).toMatchObject({ status: 404, ...NOT_FOUND })
  })

  test('a link while public links are off, which then cannot be created either', async () => {
    const { token } = await share(recording)
    await allow(false)
    expect(await refusal(await read(token))).toMatchObject({ status: 404, ...NOT_FOUND })
    await expect(share(recording)).rejects.toMatchObject({ code: 'forbidden' })
    await allow(true)
    expect((await read(token)).status).toBe(200)
  })

  test('a link to a deleted recording or into a deleted workspace', async () => {
    const gone = await record()
    const { token } = await share(gone)
    await (await db()).delete(segments).where(eq(segments.recording, gone))
    await (await db()).delete(recordings).where(eq(recordings.id, gone))
    expect(await refusal(await read(token))).toMatchObject({ status: 404, ...NOT_FOUND })

    const kept = await share(recording)
    const deletedAt = (at: Date | null) => async () =>
      (await db()).update(workspaces).set({ deletedAt: at }).where(eq(workspaces.slug, workspace))
    await deletedAt(new Date())()
    expect(await refusal(await read(kept.token))).toMatchObject({ status: 404, ...NOT_FOUND })
    await deletedAt(null)()
  })

  test('pages of other sites, and more than 30 requests of an address in a minute to all instances', async () => {
    const { token } = await share(recording)
    expect((await read(token, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const from = (address: string) => read(token, { 'x-forwarded-for': address })
    for (let n = 0; n < 30; n++) expect((await from('192.0.2.1')).status).toBe(200)
    expect(await refusal(await from('192.0.2.1'))).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await from('192.0.2.2')).status).toBe(200)
    await forgetLimits({ all: false })
    expect((await from('192.0.2.1')).status).toBe(429)
    expect((await from('192.0.2.2')).status).toBe(200)
  })

  test('more than 600 requests of all addresses in a minute', async () => {
    const from = (host: number) => read('wrong', { 'x-forwarded-for': `192.0.2.${host}` })
    const codes = await Promise.all(Array.from({ length: 601 }, async (_, n) => (await from(n % 30)).status))
    expect([codes.filter((code) => code === 404).length, codes.filter((code) => code === 429).length]).toEqual([600, 1])
  })

  test('every method but GET', () => {
    expect(Object.keys(route).sort()).toEqual(['GET', 'dynamic'])
  })
})

test('a link can be made to a run that has ended, in its own workspace', async () => {
  const open = await record({ isOpen: true })
  await expect(share(open)).rejects.toMatchObject({ code: 'conflict' })
  server.latest().finish('success')
  await until(async () => (await summaryOf(open)).phase === 'ended')
  const elsewhere = await testActor({ other: 'admin' })
  await expect(createPublicLink(elsewhere, { workspace, recording: open, days: 7 }, 'request')).rejects.toMatchObject({
    code: 'forbidden',
  })
  const { id } = await share(open)
  await expect(revokePublicLink(elsewhere, { workspace: 'other', id }, 'request')).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('public links are off until an administrator turns them on', async () => {
  await (await db()).execute(sql`truncate console.sharing`)
  expect(await listPublicLinks(developer, workspace)).toMatchObject({ isAllowed: false })
  await expect(allowPublicLinks(developer, { workspace, isAllowed: true }, 'request')).rejects.toMatchObject({
    code: 'forbidden',
  })
})

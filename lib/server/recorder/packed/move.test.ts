import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { db } from '../../process/db'
import { type TestConsole, testConsole } from '../../testing'
import { decodeChunk } from '../log/chunk'
import { deleteExpired, readUsage } from '../retention'
import { readSegments, storedEnd, writeSegments } from '../segments'
import { insertRecording } from '../store'
import { moveOld, removeUnused } from './move'
import { packSegments } from './pack'

const INSTANCE = 7
const SECRET = 'a secret that nobody may see'

/** The few requests of the protocol that the console makes, over HTTP. */
async function objectServer() {
  const objects = new Map<string, Buffer>()
  const self = {
    ...{ url: '', objects, puts: 0, close: async () => {} },
    state: 'up' as 'up' | 'refusing' | 'failing',
    /** Uploads that come meanwhile wait for it. */
    held: undefined as Promise<void> | undefined,
  }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const refuse = (status: number, code: string) => {
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    }
    const key = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname)
    if (self.state === 'failing') return refuse(503, 'ServiceUnavailable')
    const isSigned = /^AWS4-HMAC-SHA256 Credential=key-id\//.test(request.headers.authorization ?? '')
    if (self.state === 'refusing' || !isSigned) return refuse(403, 'SignatureDoesNotMatch')
    if (!key.startsWith('/bucket/')) return refuse(404, 'NoSuchBucket')
    if (request.method === 'PUT') {
      self.puts += 1
      await self.held
      objects.set(key, Buffer.concat(parts))
    }
    if (request.method === 'DELETE') objects.delete(key)
    const found = objects.get(key)
    if (request.method !== 'GET') return void response.writeHead(request.method === 'PUT' ? 200 : 204).end()
    if (!found) return refuse(404, 'NoSuchKey')
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
    response.writeHead(206).end(found.subarray(Number(from), Number(to) + 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  self.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return self
}

let home: TestConsole
let server: Awaited<ReturnType<typeof objectServer>>
const setUp = () =>
  home.set({
    ...{ S3_ENDPOINT: server.url, S3_BUCKET: 'bucket', S3_PREFIX: 'console' },
    ...{ S3_ACCESS_KEY_ID: 'key-id', S3_SECRET_ACCESS_KEY: SECRET },
  })
beforeAll(async () => {
  home = await testConsole()
  server = await objectServer()
})
beforeEach(() => {
  server.state = 'up'
  server.puts = 0
  setUp()
})
afterAll(async () => {
  await server.close()
  await home.close()
})

/** A packed recording of several blocks that ended so many days ago. */
async function recording(endedDaysAgo: number, workspace = 'tests'): Promise<string> {
  const id = randomUUID()
  await insertRecording({
    ...{ id, workspace, deployment: 'one', assistant: 'agent', startedBy: 'ada@example.com', request: '{}' },
    ...{ isStateless: false, isResumable: true, owner: INSTANCE },
  })
  for (let first = 1; first <= 9; first += 3) {
    const entries = [0, 1, 2].map((n) => {
      const data = JSON.stringify({ n: first + n, text: `${randomUUID()} ÄÖ 🙂 `.repeat(1_500) })
      return { at: 1, kind: 'event' as const, event: 'custom', data }
    })
    const chunk = { first, last: first + 2, bytes: Buffer.from(encodeEntries(first, entries)) }
    await writeSegments([{ recording: id, chunk, lastEventId: String(first + 2) }], INSTANCE, false)
  }
  await (await db()).execute(sql`update console.recordings set phase = 'ended', outcome = 'success', entries = 9,
    bytes = 1000, ended_at = now() - make_interval(days => ${endedDaysAgo}::int), lease_until = null where id = ${id}`)
  await packSegments(id)
  return id
}
const read = async (id: string, cursor = 0, most = Number.MAX_SAFE_INTEGER) =>
  (await readSegments(id, cursor, most)).flatMap(decodeChunk)
const keyOf = async (id: string) =>
  (await (await db()).execute<{ object: string | null }>(sql`select object from console.recordings where id = ${id}`))
    .rows[0]?.object ?? null
const bodiesOf = async (id: string) =>
  (
    await (
      await db()
    ).execute<{ body: string }>(sql`select body from console.segments where recording = ${id} order by first_seq`)
  ).rows.map(({ body }) => body)

test('recordings move some days after their end, and read exactly as before', async () => {
  const [old, recent] = [await recording(8), await recording(6)]
  const before = { entries: await read(old), end: await storedEnd(old) }
  const bodies = await bodiesOf(old)
  expect(bodies.length).toBeGreaterThan(1)
  expect(await moveOld()).toBe(1)
  expect(await bodiesOf(old)).toEqual(bodies.map(() => ''))
  const key = await keyOf(old)
  expect(key).toMatch(new RegExp(`^console/tests/${old}/`))
  // The object is one gzip file of the whole text.
  expect(gunzipSync(server.objects.get(`/bucket/${key}`) as Buffer).toString()).toBe(bodies.join(''))
  expect({ entries: await read(old), end: await storedEnd(old) }).toEqual(before)
  expect(await read(old, 5, 1)).toEqual(before.entries.slice(3, 6))
  expect(await read(old, 4)).toEqual(before.entries.slice(3))
  expect(await keyOf(recent)).toBeNull()
  expect(await moveOld()).toBe(0)
  expect(await readUsage('tests')).toMatchObject({ moved: 1, movedBytes: 1000, movesAfterDays: 7 })
})

test('without an answer nothing is lost, and a reader is told why it sees nothing', async () => {
  const moved = await recording(9)
  await moveOld()
  const next = await recording(9)
  const before = { moved: await read(moved), next: await read(next) }
  const logged = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const states = [
    ['failing', 'upstream_unreachable', /does not answer/],
    ['refusing', 'upstream_refused_key', /refuses the console/],
  ] as const
  for (const [state, code, message] of states) {
    server.state = state
    expect(await moveOld()).toBe(0)
    await expect(read(moved)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(await read(next)).toEqual(before.next)
  }
  expect(JSON.stringify(logged.mock.calls)).not.toContain(SECRET)
  logged.mockRestore()
  server.state = 'up'
  expect(await read(moved)).toEqual(before.moved)
  expect(await moveOld()).toBe(1)
  expect(await read(next)).toEqual(before.next)
  server.objects.delete(`/bucket/${await keyOf(next)}`)
  await expect(read(next)).rejects.toMatchObject({ message: expect.stringContaining('no longer there') })
  home.set({})
  await expect(read(moved)).rejects.toMatchObject({ message: expect.stringContaining('no longer set up') })
})

test('objects of deleted recordings are removed, whatever deletes them, and those of uploads that were cut off', async () => {
  const [expired, deleted, kept] = [await recording(40), await recording(20), await recording(20)]
  expect(await moveOld()).toBe(3)
  const at = async (id: string) => `/bucket/${await keyOf(id)}`
  const keys = [await at(expired), await at(deleted)]
  const keptKey = await at(kept)
  await deleteExpired()
  await (await db()).execute(sql`delete from console.recordings where id = ${deleted}`)
  server.objects.set('/bucket/console/cut-off.gz', Buffer.from('half'))
  await (await db()).execute(sql`insert into console.unused_objects (key, due_at)
    values ('console/cut-off.gz', now() - interval '1 minute'), ('console/under-way.gz', now() + interval '1 minute')`)
  server.state = 'failing'
  expect(await removeUnused()).toBe(0)
  server.state = 'up'
  expect(await removeUnused()).toBeGreaterThanOrEqual(3)
  for (const key of [...keys, '/bucket/console/cut-off.gz']) expect(server.objects.has(key)).toBe(false)
  expect(await read(kept)).toHaveLength(9)
  expect(server.objects.has(keptKey)).toBe(true)
  expect(await removeUnused()).toBe(0)
})

test('without object storage nothing moves, and nothing is removed', async () => {
  const id = await recording(9)
  await (await db()).execute(
    sql`insert into console.unused_objects (key, due_at) values ('console/old.gz', now() - interval '1 minute')`,
  )
  home.set({})
  expect([await moveOld(), await removeUnused(), await keyOf(id)]).toEqual([0, 0, null])
  setUp()
  expect([await moveOld(), await removeUnused()]).toEqual([1, 1])
})

const trail = async () =>
  (
    await (
      await db()
    ).execute<{ actor: string; workspace: string; params: object; outcome: string | null }>(sql`
      select i.actor, i.workspace, i.params, o.outcome from console.audit i left join console.audit o on o.intent = i.seq
      where i.operation = 'moveRecordings' and i.kind = 'intent' order by i.seq`)
  ).rows
const entry = (recordings: number, outcome: string) => ({
  ...{ actor: 'system:recorder', workspace: 'tests', params: { recordings: String(recordings), bucket: 'bucket' } },
  outcome,
})

test('the audit trail has each move and how it ended, and nothing moves that it cannot have', async () => {
  const before = (await trail()).length
  const id = await recording(10)
  const logged = vi.spyOn(console, 'warn').mockImplementation(() => {})
  server.state = 'failing'
  expect(await moveOld()).toBe(0)
  server.state = 'up'
  await (await db()).execute(sql`update console.audit_head set seal = seal || 'x'`)
  const refused = vi.spyOn(console, 'error').mockImplementation(() => {})
  await expect(moveOld()).rejects.toThrow('audit trail')
  expect(await keyOf(id)).toBeNull()
  await (await db()).execute(sql`update console.audit_head set seal = left(seal, -1)`)
  expect(await moveOld()).toBe(1)
  expect(await moveOld()).toBe(0)
  expect((await trail()).slice(before)).toEqual([
    entry(1, '502 0 of 1 moved: ServiceUnavailable'),
    entry(1, '200 done'),
  ])
  for (const spy of [logged, refused]) spy.mockRestore()
})

test('one look moves recordings of all workspaces, and stops at the first that cannot move', async () => {
  const before = (await trail()).length
  await recording(10)
  await recording(10, 'others')
  const logged = vi.spyOn(console, 'warn').mockImplementation(() => {})
  server.state = 'failing'
  expect(await moveOld()).toBe(0)
  logged.mockRestore()
  expect((await trail()).slice(before)).toHaveLength(1)
  server.state = 'up'
  expect(await moveOld()).toBe(2)
})

test('one instance moves at a time, and another takes over from one that has lost its lease', async () => {
  const before = (await trail()).length
  const ids = [await recording(12), await recording(11)]
  const texts = await Promise.all(ids.map((id) => read(id)))
  let go = () => {}
  server.held = new Promise((resolve) => (go = resolve))
  const first = moveOld()
  await vi.waitFor(() => expect(server.puts).toBeGreaterThan(0))
  expect(await moveOld()).toBe(0)
  await (await db()).execute(sql`update console.leases set until = now() - interval '1 second'`)
  const late = server.held
  server.held = undefined
  await vi.waitFor(async () => expect(await moveOld()).toBe(2))
  go()
  await late
  expect(await first).toBe(0)
  expect((await trail()).slice(before)).toEqual([
    entry(2, '502 0 of 2 moved: another instance goes on'),
    entry(2, '200 done'),
  ])
  await (await db()).execute(sql`update console.unused_objects set due_at = now() - interval '1 minute'`)
  await removeUnused()
  for (const [at, id] of ids.entries()) {
    const own = [...server.objects.keys()].filter((key) => key.includes(id))
    expect(own).toEqual([`/bucket/${await keyOf(id)}`])
    expect(await read(id)).toEqual(texts[at])
  }
})

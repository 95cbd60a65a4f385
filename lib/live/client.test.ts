import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LiveFrame, Subscription } from '@/lib/contracts/wire/live'
import type { LogEntry } from '@/lib/stream/log'
import { LiveClient } from './client'
import type { LiveWaits } from './environment'
import { fakeBrowser } from './testing'

/** A scripted live server: its recordings grow and its connections end when a test says so. */
const server = {
  logs: new Map<string, number>(),
  values: new Map<string, unknown>(),
  posts: [] as Subscription[][],
  open: new Set<{ response: ServerResponse; at: Map<string, number>; wanted: Subscription[] }>(),
  epoch: 0,
  /** Where the crash of the previous epoch cut off logs. */
  cut: 0,
  status: 200,
  body: '',
  refused: 0,
  frameSize: 1000,
}
const send = (response: ServerResponse, frame: LiveFrame) =>
  response.write(`event: frame\ndata: ${JSON.stringify(frame)}\n\n`)
const entry = (seq: number): LogEntry => ({ seq, at: seq, kind: 'event', event: 'custom', data: `${seq}` })
function pump() {
  for (const { response, at, wanted } of server.open)
    for (const one of wanted) {
      if (one.kind !== 'recording') continue
      const total = server.logs.get(one.recording) ?? 0
      for (let cursor = at.get(one.id) ?? 0; cursor < total; ) {
        const next = Math.min(cursor + server.frameSize, total)
        const entries = Array.from({ length: next - cursor }, (_, index) => entry(cursor + index + 1))
        send(response, { id: one.id, entries, total, epoch: server.epoch, phase: 'live' })
        at.set(one.id, next)
        cursor = next
      }
    }
}
const grow = (recording: string, by = 1) => {
  server.logs.set(recording, (server.logs.get(recording) ?? 0) + by)
  pump()
}
const drop = () => {
  for (const { response } of server.open) response.destroy()
}
const tell = (frame: LiveFrame) => {
  for (const { response } of server.open) send(response, frame)
}
const http = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  if (server.status !== 200) {
    response.writeHead(server.status)
    response.end(server.body)
    server.refused += 1
    return
  }
  const wanted = JSON.parse(text).subscriptions as Subscription[]
  server.posts.push(wanted)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': open\n\n')
  const one = {
    response,
    wanted,
    at: new Map(wanted.map((each) => [each.id, each.kind === 'recording' ? each.cursor : 0])),
  }
  server.open.add(one)
  response.on('close', () => server.open.delete(one))
  for (const each of wanted) {
    if (each.kind === 'recording' && each.epoch !== undefined && each.epoch !== server.epoch) {
      const cursor = each.cursor <= server.cut ? each.cursor : 0
      one.at.set(each.id, cursor)
      send(response, { id: each.id, reset: true, epoch: server.epoch, cursor })
    }
    if (each.kind === 'deployment') send(response, { id: each.id, value: server.values.get(each.deployment), at: 7 })
  }
  pump()
})
let url = ''
const QUICK = { addedMs: 5, removedMs: 30, retryFirstMs: 10, retryMaxMs: 50 }
const newBrowser = (waits: Partial<LiveWaits> = {}) => fakeBrowser(url, { waits: { ...QUICK, ...waits } })
beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/api/live`
})
afterAll(async () => {
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
})
let clients: LiveClient[] = []
beforeEach(() => {
  Object.assign(server, { posts: [], epoch: 0, cut: 0, status: 200, body: '', refused: 0, frameSize: 1000 })
  server.logs.clear()
})
afterEach(async () => {
  for (const one of clients) one.close()
  clients = []
  drop()
  await until(() => server.open.size === 0)
})

const until = async (check: () => boolean) => {
  for (const end = Date.now() + 4000; !check(); ) {
    if (Date.now() > end) throw new Error(`Waited in vain for: ${check}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
type Tab = ReturnType<ReturnType<typeof fakeBrowser>['tab']>
function open(tab: Tab) {
  const client = new LiveClient(() => tab.environment)
  clients.push(client)
  return client
}
/** Follows a recording and collects the numbers that arrive. */
function follow(client: LiveClient, recording: string, at: number | { cursor: number; epoch: number } = 0) {
  const seqs: number[] = []
  const stop = client.subscribe(
    { kind: 'recording', workspace: 'w', recording, ...(typeof at === 'number' ? { cursor: at } : at) },
    { onEntries: (entries) => void seqs.push(...[...entries].map(({ seq }) => seq)) },
  )
  return { seqs, stop }
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('subscriptions made together share one post, and a later one sends the cursors along', async () => {
  const client = open(newBrowser().tab())
  grow('a', 3)
  const [one, two] = [follow(client, 'a'), follow(client, 'b')]
  await until(() => one.seqs.length === 3)
  expect(server.posts).toHaveLength(1)
  const three = follow(client, 'c')
  await until(() => server.posts.length === 2)
  expect(server.posts[1]).toMatchObject([
    { recording: 'a', cursor: 3, epoch: 0 },
    { recording: 'b', cursor: 0 },
    { recording: 'c' },
  ])
  grow('a')
  grow('b')
  grow('c')
  await until(() => three.seqs.length === 1 && two.seqs.length === 1 && one.seqs.length === 4)
  expect(one.seqs).toEqual(range(1, 4))
  expect(client.connection.get()).toBe('live')
})

test('a dropped connection resumes from the cursor without loss or duplicates', async () => {
  const client = open(newBrowser().tab())
  const one = follow(client, 'a')
  for (let round = 0; round < 20; round++) {
    await until(() => server.open.size === 1)
    grow('a', 5)
    drop()
    grow('a', 5)
  }
  await until(() => one.seqs.length === 200)
  expect(one.seqs).toEqual(range(1, 200))
})

test('a gap in the entries reconnects instead of being passed on', async () => {
  const client = open(newBrowser().tab())
  const one = follow(client, 'a')
  grow('a', 2)
  await until(() => one.seqs.length === 2)
  server.logs.set('a', 9)
  tell({ id: 'r:a', entries: [entry(9)], total: 9, epoch: 0, phase: 'live' })
  await until(() => one.seqs.length === 9)
  expect(one.seqs).toEqual(range(1, 9))
  expect(server.posts).toHaveLength(2)
})

test('a reset restarts the log', async () => {
  const client = open(newBrowser().tab())
  const one = follow(client, 'a')
  grow('a', 3)
  await until(() => one.seqs.length === 3)
  server.epoch = 1
  tell({ id: 'r:a', reset: true, epoch: 1, cursor: 0 })
  tell({ id: 'r:a', entries: [entry(1), entry(2)], total: 2, epoch: 1, phase: 'live' })
  await until(() => one.seqs.length === 5)
  expect(one.seqs).toEqual([1, 2, 3, 1, 2])
  drop()
  await until(() => server.posts.length === 2)
  expect(server.posts[1]).toMatchObject([{ cursor: 2, epoch: 1 }])
})

test('after a crash, a member that has more than its shared subscription asks again from its own position', async () => {
  const client = open(newBrowser().tab())
  const behind = follow(client, 'a')
  grow('a', 5)
  await until(() => behind.seqs.length === 5)
  // Two entries more from the crashed instance, which nobody stored.
  const ahead = follow(client, 'a', { cursor: 7, epoch: 0 })
  Object.assign(server, { epoch: 1, cut: 5 })
  tell({ id: 'r:a', reset: true, epoch: 1, cursor: 5 })
  grow('a', 5)
  await until(() => behind.seqs.length === 10 && ahead.seqs.length === 10)
  expect(server.posts[1]).toMatchObject([{ id: 'r:a' }, { recording: 'a', cursor: 7, epoch: 0 }])
  expect(ahead.seqs).toEqual(range(1, 10))
  expect(behind.seqs).toEqual(range(1, 10))
})

test('entries of another epoch are accepted only after a reset, whose message may be lost between tabs', async () => {
  const client = open(newBrowser().tab())
  const one = follow(client, 'a')
  grow('a', 5)
  await until(() => one.seqs.length === 5)
  Object.assign(server, { epoch: 1, cut: 5 })
  grow('a', 1)
  await until(() => one.seqs.length === 6)
  expect(server.posts[1]).toMatchObject([{ cursor: 5, epoch: 0 }])
})

test('a second follower of a record gets the known value at once, without another post', async () => {
  const client = open(newBrowser().tab())
  server.values.set('d', { name: 'one' })
  const values: unknown[] = []
  const wanted = { kind: 'deployment', workspace: 'w', deployment: 'd' } as const
  client.subscribe(wanted, { onValue: (value, at) => values.push([value, at]) })
  await until(() => values.length === 1)
  client.subscribe(wanted, { onValue: (value) => values.push(value) })
  await until(() => values.length === 2)
  expect(values).toEqual([[{ name: 'one' }, 7], { name: 'one' }])
  drop() // an unchanged value after a reconnect is not reported
  await until(() => server.posts.length === 2)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(values).toHaveLength(2)
})

test('a member that starts earlier gets everything, and shares the subscription once it has caught up', async () => {
  const client = open(newBrowser().tab())
  server.frameSize = 7
  grow('a', 50)
  const one = follow(client, 'a')
  await until(() => one.seqs.length === 50)
  const two = follow(client, 'a')
  const three = follow(client, 'a', 20)
  await until(() => two.seqs.length === 50 && three.seqs.length === 30)
  grow('a', 5)
  await until(() => [one, two].every(({ seqs }) => seqs.length === 55) && three.seqs.length === 35)
  await until(() => server.posts.at(-1)?.length === 1)
  grow('a', 5)
  await until(() => two.seqs.length === 60)
  await until(() => three.seqs.length === 40)
  expect(one.seqs).toEqual(range(1, 60))
  expect(two.seqs).toEqual(range(1, 60))
  expect(three.seqs).toEqual(range(21, 60))
})

test('twenty tabs have one connection, and each follows from its own position', async () => {
  const browser = newBrowser()
  const tabs = range(0, 19).map(() => open(browser.tab()))
  grow('a', 40)
  const followers = tabs.map((client, index) => follow(client, 'a', index))
  await until(() => followers.every(({ seqs }, index) => seqs.length === 40 - index))
  grow('a', 10)
  await until(() => followers.every(({ seqs }) => seqs.at(-1) === 50))
  for (const [index, { seqs }] of followers.entries()) expect(seqs).toEqual(range(index + 1, 50))
  expect(server.open.size).toBe(1)
  expect(tabs.map(({ connection }) => connection.get())).toEqual(tabs.map(() => 'live'))
})

test("when the leading tab is killed, another takes over from each tab's position", async () => {
  const browser = newBrowser()
  const tabs = range(0, 4).map(() => browser.tab())
  const clients = tabs.map(open)
  const followers = clients.map((client) => follow(client, 'a'))
  grow('a', 10)
  await until(() => followers.every(({ seqs }) => seqs.length === 10))
  for (let killed = 0; killed < 4; killed++) {
    tabs[killed]?.kill()
    grow('a', 10)
    await until(() => followers.slice(killed + 1).every(({ seqs }) => seqs.length === 20 + killed * 10))
  }
  expect(followers[4]?.seqs).toEqual(range(1, 50))
})

test('a request through a hidden tab does not wait for its throttled timers', async () => {
  const browser = newBrowser({ addedMs: 60_000, watchMs: 60_000, silenceMs: 40 })
  const [leading, seen] = [browser.tab(), browser.tab()]
  leading.isHidden = true
  follow(open(leading), 'a')
  await until(() => server.posts.length === 1)
  grow('b', 2)
  const one = follow(open(seen), 'b')
  await until(() => one.seqs.length === 2)
  // The stream dies unnoticed; a visitor to the tab triggers the reconnect.
  server.open.clear()
  grow('b', 2)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(server.posts).toHaveLength(2)
  seen.wake()
  await until(() => one.seqs.length === 4)
})

test('a killed or closed tab costs nothing more', async () => {
  const browser = newBrowser()
  const [first, second, third] = [browser.tab(), browser.tab(), browser.tab()]
  follow(open(first), 'a')
  follow(open(second), 'b')
  const closed = open(third)
  follow(closed, 'c')
  await until(() => server.posts.at(-1)?.length === 3)
  second.kill()
  await until(() => server.posts.at(-1)?.length === 2)
  closed.close()
  await until(() => server.posts.at(-1)?.length === 1)
})

test('a new tab whose lock is delayed is not treated as gone: the leader learns of it only once it holds the lock', async () => {
  const browser = newBrowser()
  const [leading, late] = [browser.tab(), browser.tab()]
  const first = follow(open(leading), 'a')
  grow('a', 3)
  await until(() => first.seqs.length === 3)
  late.lockDelayMs = 40
  const second = follow(open(late), 'a')
  await until(() => second.seqs.length === 3)
  grow('a', 2)
  await until(() => second.seqs.length === 5)
  expect(second.seqs).toEqual(range(1, 5))
  // The leader waits for that lock to detect the tab's end, so the tab must get it first.
  const own = browser.grants.filter(({ name }) => name.includes(':'))
  expect(own.map(({ tab }) => tab)).toEqual([leading, late])
})

test('a frozen tab that resumes gets what it missed', async () => {
  const browser = newBrowser()
  const tab = browser.tab()
  follow(open(browser.tab()), 'a')
  const sleeper = follow(open(tab), 'a')
  grow('a', 5)
  await until(() => sleeper.seqs.length === 5)
  tab.isFrozen = true
  grow('a', 5)
  await new Promise((resolve) => setTimeout(resolve, 30))
  tab.isFrozen = false
  grow('a', 5)
  await until(() => sleeper.seqs.length === 15)
  expect(sleeper.seqs).toEqual(range(1, 15))
})

test('offline is reported, and going online again catches up at once', async () => {
  const tab = newBrowser({ retryFirstMs: 60_000, retryMaxMs: 60_000 }).tab()
  const client = open(tab)
  const one = follow(client, 'a')
  grow('a', 1)
  await until(() => one.seqs.length === 1)
  tab.isOnline = false
  drop()
  await until(() => client.connection.get() === 'offline')
  grow('a', 3)
  tab.isOnline = true
  tab.wake()
  await until(() => one.seqs.length === 4)
  expect(client.connection.get()).toBe('live')
})

test('a silent connection counts as dead, whatever the browser reports', async () => {
  const one = follow(open(newBrowser({ silenceMs: 60, watchMs: 10 }).tab()), 'a')
  await until(() => server.posts.length >= 3)
  grow('a', 2)
  await until(() => one.seqs.length === 2)
})

test('a request to come back later is followed, and an end is not retried', async () => {
  const client = open(newBrowser().tab())
  follow(client, 'a')
  await until(() => server.open.size === 1)
  tell({ resume: true, reason: 'shutdown' })
  await until(() => server.posts.length === 2 && server.open.size === 1)
  tell({ ended: true, reason: 'gone' })
  await until(() => client.connection.get() === 'ended')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(server.posts).toHaveLength(2)
  server.status = 401
  server.body = '{"code":"unauthenticated"}'
  follow(client, 'b')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(client.connection.get()).toBe('ended')
})

test('a page that is refused for another reason than its session says why, in every tab, and tries again', async () => {
  Object.assign(server, { status: 403, body: '{"code":"forbidden","message":"Choose a new password first."}' })
  const browser = newBrowser()
  const [one, other] = [open(browser.tab()), open(browser.tab())]
  follow(one, 'a')
  follow(other, 'a')
  const refused = { refused: 'Choose a new password first.' }
  await until(() => [one, other].every(({ connection }) => typeof connection.get() === 'object'))
  expect([one.connection.get(), other.connection.get()]).toEqual([refused, refused])
  server.status = 200
  const again = follow(one, 'a')
  grow('a', 1)
  await until(() => again.seqs.length === 1)
  expect(one.connection.get()).toBe('live')
})

test.each([
  [401, ''],
  [403, '<h1>Forbidden</h1>'],
  [403, 'null'],
  [403, '{"error":"blocked"}'],
])('a %d of something between browser and console (%j) ends no session', async (status, body) => {
  Object.assign(server, { status, body })
  const client = open(newBrowser().tab())
  const one = follow(client, 'a')
  grow('a', 1)
  await until(() => server.refused > 1)
  expect(client.connection.get()).not.toBe('ended')
  server.status = 200
  await until(() => one.seqs.length === 1)
})

test('a failing server is retried with growing delays', async () => {
  server.status = 503
  const one = follow(open(newBrowser().tab()), 'a')
  grow('a', 1)
  await new Promise((resolve) => setTimeout(resolve, 80))
  server.status = 200
  await until(() => one.seqs.length === 1)
})

test('the page counts as current only while all that it follows is answered', async () => {
  const client = open(newBrowser().tab())
  const { getFreshness } = client.connection
  const brief = client.subscribe({ kind: 'inbox', isBrief: true, workspace: 'w' }, {})
  await until(() => server.open.size === 1)
  expect(getFreshness()).toBe('unwatched')

  const ends = ['a', 'b'].map((deployment) => client.subscribe({ kind: 'deployment', workspace: 'w', deployment }, {}))
  await until(() => server.open.size === 1 && server.posts.at(-1)?.length === 3)
  const [, a, b] = server.posts.at(-1)?.map(({ id }) => id) ?? []
  expect(getFreshness()).toBe('current')
  const fail = (id: string | undefined, code: 'upstream_unreachable' | 'unsupported', since?: number) =>
    tell({ id: id ?? '', error: { code, message: `No answer for ${id}.`, since }, at: 9 })
  fail(a, 'unsupported')
  fail(b, 'upstream_unreachable', 500)
  await until(() => typeof getFreshness() === 'object')
  fail(a, 'upstream_unreachable', 300)
  await until(() => JSON.stringify(getFreshness()).includes('300'))
  expect(getFreshness()).toEqual({ code: 'upstream_unreachable', message: `No answer for ${a}.`, since: 300 })

  tell({ id: a ?? '', value: 1, at: 10 })
  await until(() => JSON.stringify(getFreshness()).includes('500'))
  ends[1]?.()
  expect(getFreshness()).toBe('current')
  ends[0]?.()
  expect(getFreshness()).toBe('unwatched')
  brief()
})

test('a page whose recording cannot be read does not count as current until it can be', async () => {
  const client = open(newBrowser().tab())
  const { getFreshness } = client.connection
  const one = follow(client, 'a')
  await until(() => server.open.size === 1)
  expect(getFreshness()).toBe('current')
  tell({ id: server.posts[0]?.[0]?.id ?? '', error: { code: 'internal', message: 'Cannot be read.' }, at: 1 })
  await until(() => typeof getFreshness() === 'object')
  expect(getFreshness()).toMatchObject({ message: 'Cannot be read.' })
  grow('a')
  await until(() => one.seqs.length === 1)
  expect(getFreshness()).toBe('current')
  one.stop()
  expect(getFreshness()).toBe('unwatched')
})

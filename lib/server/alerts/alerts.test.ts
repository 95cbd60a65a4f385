import { createHmac } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { type Reply, type Seen, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import {
  deleteAlertChannel,
  saveAlertChannel,
  saveAlertRule,
  silenceAlerts,
  testAlertChannel,
} from '@/lib/actions/alerts'
import { ALERT_EVERY_MS, type AlertKind, type AlertSettings } from '@/lib/contracts/alerts/alerts'
import { db } from '../process/db'
import { alertDeliveries, alertEvents, alertSilences, alertStates } from '../process/schema'
import { readAlerts } from '../records/alerts'
import { signIn, type TestConsole, type TestPeople, testConsole, testPeople } from '../testing'
import { deliverDue } from './deliver'
import { runRound } from './engine'
import { evaluateAll } from './evaluate'
import { newHolder } from './lease'

vi.mock('next/headers', () => import('../access/testing'))

const SECRET = 'signing-secret-canary'
const ids = ['alpha', 'beta', 'gamma']
let upstream: StubUpstream
let receiver: StubUpstream
let home: TestConsole
let people: TestPeople
/** What the stub reports. */
let fleet: {
  failing: Set<string>
  isDown: boolean
  listed: string[]
  totals: object
  threads: object[]
  runs: object[]
}

const record = (id: string) => ({
  ...deploymentRecord(`${upstream.url}/agents/${id}`),
  ...{
    id,
    name: id,
    active_revision_id: `${id}-old`,
    latest_revision_id: `${id}-${fleet.failing.has(id) ? 'new' : 'old'}`,
  },
})
function respond({ path }: Seen): Reply {
  if (fleet.isDown) return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }
  if (path.includes('/threads/search')) return { body: path.includes('/agents/alpha/') ? fleet.threads : [] }
  if (path.includes('/sessions')) return { body: ids.map((name) => ({ id: name, name })) }
  if (path.includes('/runs/stats')) return { body: fleet.totals }
  if (path.includes('/runs/query')) return { body: { runs: fleet.runs, cursors: {} } }
  const [, revision] = /\/revisions\/([\w-]+)/.exec(path) ?? []
  if (revision)
    return {
      body: {
        ...record('alpha'),
        status: revision.endsWith('-new') ? 'DEPLOY_FAILED' : 'DEPLOYED',
        source_revision_config: {},
      },
    }
  const [, single] = /\/deployments\/(\w+)/.exec(path) ?? []
  return { body: single ? record(single) : { resources: fleet.listed.map(record), offset: 0 } }
}

beforeAll(async () => {
  upstream = await startStubUpstream(respond)
  receiver = await startStubUpstream()
  home = await testConsole({
    ...{
      CONTROL_PLANE_URL: upstream.url,
      CONTROL_PLANE_API_KEY: 'key',
      TRACES_URL: upstream.url,
      TRACES_API_KEY: 'key',
    },
    ALLOWED_UPSTREAMS: receiver.url,
  })
  people = await testPeople()
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
  await receiver.stop()
})

/** Only `Date`: requests and the database keep their own time. */
let now = 0
beforeEach(async () => {
  now = Math.max(now + 600_000, Date.now())
  vi.useFakeTimers({ toFake: ['Date'], now })
  fleet = { failing: new Set(), isDown: false, listed: ids, totals: {}, threads: [], runs: [] }
  receiver.respondWith(() => ({ body: {} }))
  receiver.seen.splice(0)
  await (await db()).execute(
    sql`truncate console.alert_rules, console.alert_channels, console.alert_events, console.alert_silences, console.alert_lease cascade`,
  )
  await signIn(people.admin)
})
afterEach(() => void vi.useRealTimers())

async function webhook(name = 'on call') {
  const channel = { name, kind: 'webhook' as const, url: `${receiver.url}/hooks?key=url-canary`, secret: SECRET }
  const saved = await saveAlertChannel({ workspace: 'default', channel })
  if (!saved.ok) throw new Error(saved.error.message)
  return saved.data
}
async function watch(kind: AlertKind, settings: AlertSettings, channels: string[], more = {}) {
  const rule = { name: kind, kind, settings, deployments: null, channels, isEnabled: true, ...more }
  const saved = await saveAlertRule({ workspace: 'default', rule })
  if (!saved.ok) throw new Error(saved.error.message)
  return saved.data
}
const [one, two] = [newHolder(), newHolder()]
/** Rounds of two instances, which run at the same time. */
async function rounds(count: number) {
  for (let at = 0; at < count; at += 1) {
    now += ALERT_EVERY_MS
    vi.setSystemTime(now)
    await Promise.all([runRound(one, now), runRound(two, now)])
  }
}
const events = async () =>
  (await (await db()).select().from(alertEvents).orderBy(alertEvents.at, alertEvents.subject)).map(
    ({ subject, event }) => `${event} ${subject}`,
  )
const sent = () =>
  receiver.seen.map(({ body }) =>
    (JSON.parse(body) as { alerts: { state: string; subject: string }[] }).alerts.map(
      ({ state, subject }) => `${state} ${subject}`,
    ),
  )
const deliveries = async () => await (await db()).select().from(alertDeliveries)

describe('two instances', () => {
  test('tell of a failing deployment within a minute, once, and of its recovery', async () => {
    await watch('unhealthy', { minutes: 0 }, [await webhook()])
    await rounds(2)
    expect(await events()).toEqual([])
    fleet.failing.add('alpha')
    const began = now
    while ((await events()).length === 0) await rounds(1)
    expect(now - began).toBeLessThanOrEqual(60_000)
    await rounds(3)
    expect(sent()).toEqual([['firing alpha']])
    fleet.failing.clear()
    await rounds(4)
    expect(await events()).toEqual(['fired alpha', 'resolved alpha'])
    expect(sent()).toEqual([['firing alpha'], ['resolved alpha']])
  })

  test('write nothing without the lease, and take over when it ends', async () => {
    await watch('unhealthy', { minutes: 0 }, [await webhook()])
    fleet.failing.add('alpha')
    await rounds(1)
    const store = await db()
    const holder = async () => (await store.execute(sql`select holder from console.alert_lease`)).rows[0]?.holder
    const other = (await holder()) === one ? two : one
    fleet.failing.add('beta')
    now += ALERT_EVERY_MS
    vi.setSystemTime(now)
    await evaluateAll(other, now)
    await runRound(other, now)
    expect(await events()).toEqual(['fired alpha'])
    await store.execute(sql`update console.alert_lease set until = now()`)
    await runRound(other, now)
    expect([await holder(), await events()]).toEqual([other, ['fired alpha', 'fired beta']])
    expect(sent()).toEqual([['firing alpha'], ['firing beta']])
  })
})

test('an alert waits for its time, and starts again after a recovery', async () => {
  await watch('unhealthy', { minutes: 1 }, [])
  fleet.failing.add('alpha')
  await rounds(4)
  expect(await events()).toEqual([])
  await rounds(1)
  expect(await events()).toEqual(['fired alpha'])
})

test('what cannot be read neither fires nor resolves, and is shown as unknown', async () => {
  const channel = await webhook()
  await watch('unhealthy', { minutes: 0 }, [channel])
  const watched = async () => (await readAlerts(people.viewer, 'default')).rules.map((rule) => rule.watched)
  fleet.isDown = true
  await rounds(1)
  expect(await watched()).toEqual([0])
  fleet.isDown = false
  await rounds(1)
  expect(await watched()).toEqual([3])
  fleet.failing.add('alpha')
  await rounds(1)
  fleet.isDown = true
  fleet.failing = new Set(['beta'])
  await rounds(6)
  expect(await events()).toEqual(['fired alpha'])
  const { states } = await readAlerts(people.viewer, 'default')
  expect(states.map(({ subject, phase, isUnknown }) => [subject, phase, isUnknown])).toEqual([
    ['alpha', 'firing', true],
    ['beta', 'ok', true],
    ['gamma', 'ok', true],
  ])
  expect(sent()).toEqual([['firing alpha']])
})

test('a failed roll-out is an alert, although an earlier revision serves', async () => {
  await watch('failed_revision', {}, [await webhook()])
  await rounds(1)
  fleet.failing.add('alpha')
  await rounds(1)
  expect(sent()).toEqual([['firing alpha']])
})

test('an unreachable control plane is an alert of its own', async () => {
  await watch('unreachable', { minutes: 0 }, [await webhook()])
  await rounds(1)
  fleet.isDown = true
  await rounds(1)
  expect(sent()).toEqual([['firing control-plane']])
  fleet.isDown = false
  await rounds(4)
  expect(sent()).toEqual([['firing control-plane'], ['resolved control-plane']])
})

test('alerts of one round come in one message, and a deleted deployment is resolved', async () => {
  await watch('unhealthy', { minutes: 0 }, [await webhook()])
  fleet.failing = new Set(['alpha', 'beta'])
  await rounds(1)
  expect(sent()).toEqual([['firing alpha', 'firing beta']])
  fleet.listed = ['alpha', 'gamma']
  await rounds(1)
  expect(await events()).toEqual(['fired alpha', 'fired beta', 'resolved beta'])
})

test('a rule for some deployments watches no others', async () => {
  await watch('unhealthy', { minutes: 0 }, [], { deployments: ['beta'] })
  fleet.failing = new Set(['alpha', 'beta'])
  await rounds(1)
  expect(await events()).toEqual(['fired beta'])
})

test('a silence keeps channels quiet until it ends, and history tells of it', async () => {
  await watch('unhealthy', { minutes: 0 }, [await webhook()])
  await signIn(people.developer)
  const silence = { workspace: 'default', rule: null, deployment: 'alpha', reason: 'known', hours: 1 as const }
  expect(await silenceAlerts(silence)).toMatchObject({ ok: true })
  fleet.failing = new Set(['alpha', 'beta'])
  await rounds(2)
  expect(sent()).toEqual([['firing beta']])
  expect((await readAlerts(people.viewer, 'default')).events.find(({ subject }) => subject === 'alpha')).toMatchObject({
    isSilenced: true,
  })
  await (await db()).delete(alertSilences).where(eq(alertSilences.deployment, 'alpha'))
  await rounds(2)
  expect(sent()).toEqual([['firing beta'], ['firing alpha']])
})

describe('the figures of traces', () => {
  test('fire above the bound, stay within the margin and resolve below it', async () => {
    await watch('error_rate', { percent: 20, window: 15, runs: 10 }, [], { deployments: ['alpha'] })
    const rate = (errors: number, runs = 100) => {
      fleet.totals = { run_count: runs, error_count: errors, latency_p95: 1 }
    }
    rate(50, 4)
    await rounds(2)
    expect(await events()).toEqual([])
    rate(21)
    await rounds(1)
    expect(await events()).toEqual(['fired alpha'])
    rate(19)
    await rounds(5)
    expect(await events()).toEqual(['fired alpha'])
    rate(17)
    await rounds(3)
    expect(await events()).toEqual(['fired alpha', 'resolved alpha'])
  })

  test('latency is in seconds', async () => {
    await watch('latency', { seconds: 2, window: 15, runs: 1 }, [], { deployments: ['alpha'] })
    fleet.totals = { run_count: 5, error_count: 0, latency_p95: 2.5 }
    await rounds(1)
    expect((await readAlerts(people.viewer, 'default')).states).toMatchObject([
      { phase: 'firing', detail: 'p95 is 2.5 s over 5 runs in 15 min.' },
    ])
  })
})

test('a thread that waits too long fires, a new one does not', async () => {
  await watch('waiting', { minutes: 10 }, [])
  const thread = (minutes: number) => {
    const at = new Date(now - minutes * 60_000).toISOString()
    return {
      thread_id: `t${minutes}`,
      status: 'interrupted',
      created_at: at,
      updated_at: at,
      metadata: {},
      interrupts: {},
    }
  }
  fleet.threads = [thread(5)]
  await rounds(1)
  expect(await events()).toEqual([])
  fleet.threads = [thread(11), thread(5)]
  await rounds(1)
  expect(await events()).toEqual(['fired alpha'])
  const [state] = (await readAlerts(people.viewer, 'default')).states
  expect(state?.detail).toMatch(/^One thread is waiting since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/)
})

test('a cron whose last run failed fires, and its next success resolves it', async () => {
  await watch('cron_failed', {}, [])
  const run = (id: string, error: string | null, age: number) => ({
    ...{ id, name: 'agent', run_type: 'chain', session_id: 'alpha', error, trace_id: id },
    ...{ start_time: new Date(now - age).toISOString(), end_time: new Date(now - age + 10).toISOString() },
    extra: { metadata: { thread_id: 't', graph_id: 'agent', run_id: id, cron_id: 'c' } },
  })
  fleet.runs = [run('r1', 'boom', 1_000), run('r0', null, 9_000)]
  await rounds(1)
  expect(await events()).toEqual(['fired alpha'])
  fleet.runs = [run('r2', null, 100), ...fleet.runs]
  await rounds(4)
  expect(await events()).toEqual(['fired alpha', 'resolved alpha'])
})

test('a failed roll-out fires at once', async () => {
  await watch('failed_revision', {}, [])
  fleet.failing.add('gamma')
  await rounds(1)
  expect(await events()).toEqual(['fired gamma'])
})

describe('a webhook', () => {
  test('is signed, and tried again after a failure', async () => {
    await watch('unhealthy', { minutes: 0 }, [await webhook()])
    fleet.failing.add('alpha')
    receiver.respondWith(() => ({ status: 500, body: {} }))
    await rounds(1)
    await rounds(1)
    expect(receiver.seen).toHaveLength(1) // the next attempt is in half a minute
    expect(await deliveries()).toMatchObject([
      { status: 'waiting', attempts: 1, problem: expect.stringContaining('500') },
    ])
    receiver.respondWith(() => ({ body: {} }))
    await (await db()).update(alertDeliveries).set({ nextAt: sql`now()` })
    await Promise.all([deliverDue(), deliverDue()])
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2, problem: null }])
    expect(receiver.seen).toHaveLength(2)
    const { headers, body, path } = receiver.seen[1] as Seen
    const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers['x-pilothouse-signature'])) ?? []
    expect(mac).toBe(createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex'))
    expect(path).toBe('/hooks?key=url-canary')
    expect(headers['x-pilothouse-delivery']).toBe(JSON.parse(body).id)
    expect(body).not.toContain(SECRET)
  })

  test('fails after its last attempt', async () => {
    await watch('unhealthy', { minutes: 0 }, [await webhook()])
    fleet.failing.add('alpha')
    receiver.respondWith(() => ({ status: 500, body: {} }))
    await rounds(1)
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await (await db()).update(alertDeliveries).set({ nextAt: sql`now()` })
      await deliverDue()
    }
    expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 5 }])
    expect(receiver.seen).toHaveLength(5)
  })

  test.each(['http://127.0.0.1:4499/x', 'https://169.254.169.254/latest', 'http://[::1]:4499/', 'https://10.0.0.1/x'])(
    'does not connect to %s, which nobody allowed',
    async (url) => {
      const saved = await saveAlertChannel({ workspace: 'default', channel: { name: 'in', kind: 'slack', url } })
      const tried = await testAlertChannel({ workspace: 'default', id: saved.ok ? saved.data : '' })
      expect(tried).toMatchObject({
        data: {
          status: 'failed',
          problem: expect.stringContaining('This console does not connect to the alert channel'),
        },
      })
    },
  )

  test('does not follow a redirect', async () => {
    const id = await webhook()
    receiver.respondWith(() => ({ status: 302, headers: { location: upstream.url } }))
    upstream.seen.splice(0)
    expect(await testAlertChannel({ workspace: 'default', id })).toMatchObject({ data: { status: 'failed' } })
    expect(upstream.seen).toEqual([])
  })

  test('keeps its address and secret to itself', async () => {
    const id = await webhook()
    receiver.respondWith(() => ({ status: 500, body: 'url-canary' }))
    const tried = await testAlertChannel({ workspace: 'default', id })
    const view = await readAlerts(people.admin, 'default')
    const rows = await (await db()).execute(sql`select to_jsonb(t) from console.alert_channels t`)
    const trail = await (await db()).execute(sql`select to_jsonb(t) from console.audit t`)
    for (const text of [tried, view, rows.rows, trail.rows].map((value) => JSON.stringify(value))) {
      expect(text).not.toContain('url-canary')
      expect(text).not.toContain(SECRET)
    }
    expect(view.channels).toMatchObject([{ target: receiver.url, hasSecret: true }])
  })

  test('drops its secret with a new origin', async () => {
    const id = await webhook()
    const channel = { id, name: 'on call', kind: 'webhook' as const }
    expect(await saveAlertChannel({ workspace: 'default', channel: { ...channel, name: 'renamed' } })).toMatchObject({
      ok: true,
    })
    const moved = await saveAlertChannel({
      workspace: 'default',
      channel: { ...channel, url: 'https://other.example.com/x' },
    })
    expect(moved).toMatchObject({ ok: false, error: { fields: [{ path: ['secret'] }] } })
  })
})

test('chat services get text in which names cannot break out', async () => {
  const saved = await saveAlertChannel({
    workspace: 'default',
    channel: { name: 'chat', kind: 'slack', url: receiver.url },
  })
  await watch('unhealthy', { minutes: 0 }, [saved.ok ? saved.data : ''], { name: '<!channel> & co' })
  fleet.failing.add('alpha')
  await rounds(1)
  const { text } = JSON.parse(receiver.seen[0]?.body ?? '{}') as { text: string }
  expect(text).toContain('*&lt;!channel&gt; &amp; co*')
  expect(text).toMatch(/<http:\/\/localhost:3000\/default\/deployments\/alpha\|alpha>/)
})

test('e-mail reaches a mail server', async () => {
  const mails: { to: string[]; text: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    async onData(stream, session, done) {
      let text = ''
      for await (const part of stream) text += String(part)
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
      done()
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as { port: number }
  const recipients = ['ada@example.com', 'ben@example.com']
  const saved = await saveAlertChannel({ workspace: 'default', channel: { name: 'mail', kind: 'email', recipients } })
  const id = saved.ok ? saved.data : ''
  expect(await testAlertChannel({ workspace: 'default', id })).toMatchObject({
    data: { status: 'failed', problem: expect.stringContaining('SMTP_URL') },
  })
  home.set({ SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_FROM: 'alerts@example.org', ALLOWED_UPSTREAMS: receiver.url })
  await watch('unhealthy', { minutes: 0 }, [id])
  fleet.failing.add('alpha')
  await rounds(2)
  home.set({})
  await new Promise<void>((resolve) => server.close(() => resolve()))
  expect(mails).toHaveLength(1)
  expect(mails[0]?.to).toEqual(recipients)
  expect(mails[0]?.text).toMatch(/^From: alerts@example\.org/m)
  expect(mails[0]?.text).toContain('Subject: [Pilothouse] Firing: alpha (unhealthy)')
})

test('a deleted channel is taken out of its rules', async () => {
  const id = await webhook()
  await watch('unhealthy', { minutes: 0 }, [id])
  expect(await deleteAlertChannel({ workspace: 'default', id })).toMatchObject({ ok: true })
  expect((await readAlerts(people.viewer, 'default')).rules).toMatchObject([{ channels: [] }])
  fleet.failing.add('alpha')
  await rounds(1)
  expect(await events()).toEqual(['fired alpha'])
})

test('a changed rule starts from the beginning', async () => {
  const id = await watch('unhealthy', { minutes: 0 }, [])
  fleet.failing.add('alpha')
  await rounds(1)
  await watch('unhealthy', { minutes: 60 }, [], { id })
  expect(await (await db()).select().from(alertStates)).toEqual([])
})

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { type Seen, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { HEALTH_GROUPS, type HealthGroup } from '@/lib/contracts/deployments/deployment-row'
import { anchorsAfter } from '@/lib/lists/anchored-page'
import { briefOf } from '@/lib/stream/inbox'
import type { Actor } from '../access/actor'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { InboxReader } from '../inbox/inbox-reader'
import { db } from '../process/db'
import { recordings } from '../recorder/schema'
import { type TestConsole, testActor, testConsole } from '../testing'
import { readDeploymentRows } from './deployment-rows'
import { readActivity } from './runs/activity'
import { readRunRows } from './runs/list'

// What Home counts is what the pages that it leads to list, over random fleets whose numbers are known.

const FLEETS = 200
const HOUR = 3_600_000
const STATUSES: Record<Exclude<HealthGroup, 'ok'>, readonly (string | null)[]> = {
  failing: ['BUILD_FAILED', 'DEPLOY_FAILED', 'CREATE_FAILED'],
  progress: ['BUILDING', 'DEPLOYING', 'AWAITING_BUILD'],
  unknown: [null],
}

const one = fc.record({
  group: fc.constantFrom(...HEALTH_GROUPS),
  status: fc.nat(2),
  serves: fc.boolean(),
  /** Hours ago, and whether each failed. */
  runs: fc.array(fc.record({ hoursAgo: fc.integer({ min: 0, max: 40 }), isFailed: fc.boolean() }), { maxLength: 3 }),
  waiting: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) }),
})
type Fleet = { slug: string; rows: (typeof one extends fc.Arbitrary<infer Row> ? Row : never)[] }

let home: TestConsole
let stub: StubUpstream
let viewer: Actor
let fleet: Fleet

const deployments = () =>
  fleet.rows.map(({ group, serves, waiting }, n) => {
    const id = `${fleet.slug}-d${n}`
    const latest = `${id}-latest`
    const active = group === 'ok' ? latest : serves || waiting !== null ? `${id}-active` : null
    return {
      ...deploymentRecord(waiting === null ? null : `${stub.url}/agents/${id}`),
      ...{ id, name: id, latest_revision_id: latest, active_revision_id: active },
    }
  })
const rowOf = (path: string) => fleet.rows[Number(/-d(\d+)/.exec(path)?.[1])]

function respond({ path, body }: Seen) {
  const { pathname, searchParams } = new URL(path, 'http://stub')
  if (pathname.endsWith('/threads/search')) {
    const isWaiting = JSON.parse(body).status === 'interrupted'
    const found = Array.from({ length: isWaiting ? (rowOf(pathname)?.waiting ?? 0) : 0 }, (_, n) => ({
      ...{ thread_id: `00000000-0000-4000-8000-00000000000${n}`, status: 'interrupted', metadata: {}, values: null },
      ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', interrupts: {} },
    }))
    return { body: found }
  }
  const revision = /\/revisions\/([^/]+)$/.exec(pathname)?.[1]
  if (revision) {
    const { group, status } = rowOf(revision) ?? { group: 'ok', status: 0 }
    const known = group === 'ok' || revision.endsWith('active') ? 'DEPLOYED' : STATUSES[group][status]
    const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
    if (!known) return { status: 500, body: { detail: 'no' } }
    return { body: { id: revision, status: known, ...times, source_revision_config: {} } }
  }
  const single = deployments().find(({ id }) => pathname.endsWith(`/v2/deployments/${id}`))
  if (single) return { body: single }
  if (!pathname.endsWith('/v2/deployments')) return { status: 404, body: { detail: 'Not Found' } }
  const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)))
  const ids = searchParams.get('deployment_ids')?.split(',')
  const all = deployments().filter(({ id }) => ids?.includes(id) ?? true)
  return { body: { resources: all.slice(offset, (offset ?? 0) + (limit ?? 20)), offset: 0 } }
}

beforeAll(async () => {
  stub = await startStubUpstream(respond)
  home = await testConsole()
  viewer = await testActor({ '*': 'viewer' })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})

/** A workspace of its own for each fleet, since reads are shared for seconds. */
async function open(rows: Fleet['rows'], number: number) {
  fleet = { slug: `fleet-${number}`, rows }
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: fleet.slug, name: fleet.slug, dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: stub.url, keys: { apiKey: 'key' } },
    }),
  )
  const values = rows.flatMap(({ runs }, n) =>
    runs.map(({ hoursAgo, isFailed }) => {
      // Not at the edge of the 24 hours.
      const startedAt = new Date(Date.now() - hoursAgo * HOUR - HOUR / 2)
      return {
        ...{ id: crypto.randomUUID(), workspace: fleet.slug, deployment: `${fleet.slug}-d${n}`, assistant: 'agent' },
        ...{ phase: 'ended' as const, outcome: isFailed ? ('error' as const) : ('success' as const), startedAt },
        ...{ startedBy: 'ada', endedAt: startedAt, request: '{}', isStateless: false, isResumable: false },
      }
    }),
  )
  if (values.length > 0) await (await db()).insert(recordings).values(values)
}

/** All rows of a kind of health, page by page as the list shows them. */
async function listed(health: HealthGroup): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  for (;;) {
    const page = await readDeploymentRows(
      fleet.slug,
      { health, limit: 20, offset: ids.length, ...(after && { after }) },
      { actor: viewer },
    )
    ids.push(...page.rows.map(({ id }) => id))
    if (!page.hasNext) return ids
    after = anchorsAfter(page.rows).join(',')
  }
}

test('over 200 random fleets, each number of Home is the number on its page', async () => {
  const fleets = fc.sample(fc.array(one, { maxLength: 8 }), { numRuns: FLEETS, seed: 23 })
  for (const [number, few] of fleets.entries()) {
    // Some are longer than a page.
    const rows = number % 20 === 0 ? Array.from({ length: 6 }, () => few).flat() : few
    await open(rows, number)
    const where = `fleet ${number}`
    const counted = await readDeploymentRows(fleet.slug, { health: 'failing', limit: 8, offset: 0 }, { actor: viewer })
    for (const group of HEALTH_GROUPS) {
      const count = rows.filter((row) => row.group === group).length
      expect(counted.health?.counts[group], `${where}, ${group}`).toBe(count)
      if (count > 0) expect(await listed(group), `${where}, list of ${group}`).toHaveLength(count)
    }
    const inbox = await new InboxReader(fleet.slug).read(AbortSignal.timeout(5_000))
    const waiting = rows.reduce((sum, row) => sum + (row.waiting ?? 0), 0)
    expect(briefOf(inbox), where).toMatchObject({ threads: waiting, unread: 0, isCut: false })
    expect(inbox.threads, where).toHaveLength(waiting)

    const failed = rows.map(({ runs }) => runs.filter((run) => run.isFailed && run.hoursAgo < 24).length)
    const total = failed.reduce((sum, count) => sum + count, 0)
    const since = { status: 'failed', since: '24h' }
    const page = await readRunRows(fleet.slug, { ...since, limit: 100 }, viewer)
    const onHome = await readRunRows(fleet.slug, { ...since, limit: 5 }, viewer)
    expect(page.rows, where).toHaveLength(total)
    expect(onHome.rows, where).toEqual(page.rows.slice(0, 5))
    const ids = rows.map((_, n) => `${fleet.slug}-d${n}`)
    const activity = await readActivity(fleet.slug, { ids: ids.join() }, { actor: viewer })
    expect(
      ids.map((id) => activity[id]?.runs?.failed ?? 0),
      where,
    ).toEqual(failed)
  }
}, 300_000)

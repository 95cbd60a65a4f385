import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LOCKS } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { CHANNEL } from './instances/wake'
import type { recordings } from './schema'
import {
  claimRecordings,
  deleteRecording,
  findByKey,
  findRecording,
  insertJoined,
  insertRecording,
  renewLeases,
  setCuts,
  summaryOf,
  updateRecording,
} from './store'
import { insertRow as recording, until } from './testing'

const INSTANCE = 7
const OTHER = 8
let console_: TestConsole
let client: pg.Client
beforeAll(async () => {
  console_ = await testConsole()
  client = new pg.Client(console_.databaseUrl)
  await client.connect()
})
afterEach(async () => {
  await client.query('delete from console.recordings')
  await client.query('select pg_advisory_unlock_all()')
})
afterAll(async () => {
  await client.end()
  await console_.close()
})

const facts = (more: Partial<typeof recordings.$inferInsert> = {}) => ({
  ...{ id: randomUUID(), workspace: 'tests', deployment: 'one', assistant: 'agent', startedBy: 'ada', request: '{}' },
  ...{ isStateless: false, isResumable: true, owner: INSTANCE, run: 'r' },
  ...(more as object),
})

test('a key counts once for a person and a workspace', async () => {
  const made = await insertRecording(facts({ idempotencyKey: 'k' }))
  expect(made).toMatchObject({ phase: 'starting', owner: INSTANCE, leaseUntil: expect.any(Date) })
  expect(await insertRecording(facts({ idempotencyKey: 'k' }))).toBeUndefined()
  for (const more of [{ startedBy: 'grace' }, { workspace: 'other' }, { idempotencyKey: 'l' }])
    expect(await insertRecording(facts({ idempotencyKey: 'k', ...more }))).toBeDefined()
  expect(await findByKey('tests', 'ada', 'k')).toEqual(made)
  expect((await findByKey('other', 'ada', 'k'))?.workspace).toBe('other')
  expect([await findByKey('tests', 'ada', 'm'), await findByKey('tests', 'mary', 'k')]).toEqual([undefined, undefined])
})

test('a summary has what lists show of a row, with times as text', async () => {
  const times = { startedAt: new Date(1_000), endedAt: new Date(2_000) }
  const id = await recording({
    ...times,
    run: 'r',
    thread: 't',
    phase: 'ended',
    outcome: 'success',
    assistantVersion: 3,
  })
  const row = await findRecording(id)
  expect(row && summaryOf(row)).toEqual({
    ...{ id, workspace: 'tests', deployment: 'one', thread: 't', run: 'r', assistant: 'agent', assistantVersion: 3 },
    ...{ phase: 'ended', outcome: 'success', startedBy: 'ada@example.com', entries: 0, bytes: 0, request: '{}' },
    ...{ startedAt: '1970-01-01T00:00:01.000Z', endedAt: '1970-01-01T00:00:02.000Z', isStateless: false },
  })
  const live = await findRecording(await recording({}))
  expect(live && summaryOf(live).endedAt).toBeNull()
})

describe('a run that was started elsewhere', () => {
  test('has one recording, also if many ask for it at once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => insertJoined(facts())))
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(all.map(({ row }) => row.id)).size).toBe(1)
    expect(all[0]?.row).toMatchObject({ phase: 'starting', run: 'r', owner: INSTANCE, leaseUntil: expect.any(Date) })
    for (const more of [{ workspace: 'other' }, { deployment: 'two' }, { run: 's' }])
      expect(await insertJoined(facts(more))).toMatchObject({ isNew: true, row: more })
  })

  test('is recorded again if its recording stopped before it did', async () => {
    const lost = await recording({ run: 'r', phase: 'ended', outcome: 'unknown', startedAt: new Date(0) })
    const { row, isNew } = await insertJoined(facts())
    expect([isNew, row.id === lost]).toEqual([true, false])
    expect(await insertJoined(facts())).toMatchObject({ isNew: false, row: { id: row.id } })
  })
})

describe('a change of a row', () => {
  const heard: string[] = []
  beforeAll(async () => {
    client.on('notification', ({ payload }) => void heard.push(payload ?? ''))
    await client.query(`listen ${CHANNEL}`)
  })

  test('is told to the other instances', async () => {
    const [id, other] = [await recording({ owner: INSTANCE }), await recording({ owner: INSTANCE })]
    await updateRecording(id, { run: 'r', phase: 'reconnecting' }, { instance: INSTANCE, isOwner: true })
    await until(() => heard.includes(`${INSTANCE}:${id}`))
    expect(await findRecording(id)).toMatchObject({ run: 'r', phase: 'reconnecting' })
    expect(await findRecording(other)).toMatchObject({ run: null, phase: 'live' })
  })

  test('is not made for an instance that no longer owns it, unless anyone may make it', async () => {
    const id = await recording({ owner: OTHER })
    await updateRecording(id, { run: 'r' }, { instance: INSTANCE, isOwner: true })
    expect((await findRecording(id))?.run).toBeNull()
    const cancelledAt = new Date()
    await updateRecording(id, { cancelledAt }, { instance: INSTANCE, isOwner: false })
    expect(await findRecording(id)).toMatchObject({ cancelledAt, owner: OTHER })
  })

  test('or its removal is of that row only', async () => {
    const [id, other] = [await recording({}), await recording({})]
    await setCuts(id, [4, 6])
    expect([(await findRecording(id))?.cuts, (await findRecording(other))?.cuts]).toEqual([[4, 6], []])
    await deleteRecording(id)
    expect([await findRecording(id), (await findRecording(other))?.id, await findRecording('no id')]).toEqual([
      ...[undefined, other, undefined],
    ])
  })
})

describe('a recording is taken over', () => {
  const lives = (instance: number) =>
    client.query('select pg_advisory_lock($1::int, $2::int)', [LOCKS.instance, instance])
  const later = new Date(Date.now() + 60_000)
  const claimed = async () => (await claimRecordings(INSTANCE)).map(({ row, wasCrash }) => [row.id, wasCrash])

  test('after a shutdown, after a crash, and when its lease has run out, and from no instance that lives', async () => {
    await lives(OTHER)
    await recording({ owner: OTHER, leaseUntil: later })
    await recording({ owner: INSTANCE, leaseUntil: later })
    await recording({ owner: null, phase: 'ended' })
    await recording({ owner: 9, phase: 'ended' })
    const [left, dead, expired, own] = [
      await recording({ owner: null, leaseUntil: later, startedAt: new Date(1) }),
      await recording({ owner: 9, leaseUntil: later, startedAt: new Date(2) }),
      await recording({ owner: OTHER, leaseUntil: new Date(0), startedAt: new Date(3), phase: 'starting' }),
      await recording({ owner: INSTANCE, leaseUntil: new Date(0), startedAt: new Date(4), phase: 'reconnecting' }),
    ]
    expect((await claimed()).toSorted()).toEqual(
      [
        [left, false],
        [dead, true],
        [expired, true],
        [own, true],
      ].toSorted(),
    )
    const row = await findRecording(dead)
    expect(row?.owner).toBe(INSTANCE)
    expect(row?.leaseUntil?.getTime()).toBeGreaterThan(Date.now())
    expect(await claimed()).toEqual([])
  })

  test('by one instance, if several look at once', async () => {
    for (const instance of [INSTANCE, OTHER]) await lives(instance)
    for (let n = 0; n < 5; n++) await recording({ owner: null, leaseUntil: later })
    const both = await Promise.all([claimRecordings(INSTANCE), claimRecordings(OTHER)])
    expect(both.flat().map(({ row }) => row.id)).toHaveLength(5)
    expect(new Set(both.flat().map(({ row }) => row.id)).size).toBe(5)
  })
})

test('leases are renewed for the owner only, of what has not ended', async () => {
  const leaseUntil = new Date(0)
  const [own, others, ended] = [
    await recording({ owner: INSTANCE, leaseUntil }),
    await recording({ owner: OTHER, leaseUntil }),
    await recording({ owner: INSTANCE, leaseUntil, phase: 'ended' }),
  ]
  const live = [own, others, ended].map((id, at) => ({ id, entries: at + 1, bytes: 10, phase: 'live' as const }))
  await renewLeases(INSTANCE, [])
  await renewLeases(INSTANCE, live)
  expect(await findRecording(own)).toMatchObject({ entries: 1, bytes: 10 })
  expect((await findRecording(own))?.leaseUntil?.getTime()).toBeGreaterThan(Date.now())
  for (const id of [others, ended]) expect(await findRecording(id)).toMatchObject({ entries: 0, leaseUntil })
})

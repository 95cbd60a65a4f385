import { beforeEach, describe, expect, test } from 'vitest'
import type { Thread } from '@/lib/contracts/agents/threads'
import { AppError } from '@/lib/errors'
import { settleCancelled, withReasons } from './cancelled-threads'

// Each test is about a server of its own, because what was read is kept.

type Wanted = { ids: string[]; limit: number }
let place = ''
let count = 0
let asked: Wanted[] = []
/** What the server says of a thread that is read as a whole. */
let status: Thread['status'] = 'idle'
beforeEach(() => {
  count += 1
  place = `server ${count}`
  asked = []
  status = 'idle'
})

const select = ['thread_id', 'status']
const AT = '2026-11-27T10:00:00Z'
const thread = (id: string, more: Partial<Thread> = {}): Thread => ({
  ...{ thread_id: id, status: 'interrupted', interrupts: {}, updated_at: AT, metadata: {} },
  ...more,
})
const stopped = (length: number) => Array.from({ length }, (_, n) => thread(`${n}`))
const answer = async (body: Wanted) => {
  asked.push(body)
  return body.ids.map((id) => thread(id, { status }))
}
const settle = async (rows: Thread[], read = answer, body: { select?: string[] } = { select }) =>
  (await settleCancelled(rows, body, place, read)).map((row) => row.status)

describe('a search', () => {
  test('of the status selects what tells whether a thread was cancelled', () => {
    expect(withReasons({ select, limit: 5 })).toEqual({ select: [...select, 'interrupts', 'updated_at'], limit: 5 })
    expect(withReasons({ select: ['status', 'updated_at'] })).toEqual({
      select: ['status', 'updated_at', 'interrupts'],
    })
  })

  test.each([{}, { select: null }, { select: ['thread_id'] }])('with %j stays as it is', async (body) => {
    expect(withReasons(body)).toBe(body)
    const rows = stopped(1)
    expect(await settleCancelled(rows, body, place, answer)).toBe(rows)
    expect(asked).toEqual([])
  })

  test('has the interrupts only if they were asked for', async () => {
    const [row] = await settleCancelled(stopped(1), { select }, place, answer)
    expect(row).toEqual({ thread_id: '0', status: 'idle', updated_at: AT, metadata: {} })
    const [whole] = await settleCancelled(stopped(1), { select: [...select, 'interrupts'] }, place, answer)
    expect(whole).toEqual({ ...row, interrupts: {} })
  })
})

test('threads are read ten at a time, thirty for one search, and the others with the next ones', async () => {
  const rows = stopped(35)
  expect(await settle(rows)).toEqual([...Array(30).fill('idle'), ...Array(5).fill('interrupted')])
  expect(asked.map(({ ids, limit }) => [ids[0], ids.length, limit])).toEqual([
    ['0', 10, 10],
    ['10', 10, 10],
    ['20', 10, 10],
  ])
  asked = []
  expect(await settle(rows)).toEqual(Array(35).fill('idle'))
  expect(asked).toEqual([{ ids: ['30', '31', '32', '33', '34'], limit: 5 }])
})

test('only threads that may have been cancelled are read, with what is known of each server', async () => {
  const asks = thread('asks', { interrupts: { t: [{ id: 'i', value: 'Shall it?' }] } })
  const others = (['idle', 'busy', 'error'] as const).map((one) => thread(one, { status: one }))
  expect(await settle([asks, thread('a'), ...others])).toEqual(['interrupted', 'idle', 'idle', 'busy', 'error'])
  expect(asked).toEqual([{ ids: ['a'], limit: 1 }])
  place = `${place}, another`
  await settle([thread('a')])
  expect(asked).toHaveLength(2)
})

test('a thread is read again once it has changed', async () => {
  expect(await settle([thread('a')])).toEqual(['idle'])
  status = 'busy'
  const updated_at = '2026-11-27T11:00:00Z'
  const later = (body: Wanted) => answer(body).then((all) => all.map((one) => ({ ...one, updated_at })))
  for (let time = 0; time < 2; time++) expect(await settle([thread('a', { updated_at })], later)).toEqual(['busy'])
  expect(asked).toHaveLength(2)
})

test('a thread whose changes have no time is read once', async () => {
  const timeless = (body: Wanted) => answer(body).then((all) => all.map((one) => ({ ...one, updated_at: null })))
  for (const updated_at of [undefined, null, ''])
    expect(await settle([thread('a', { updated_at })], timeless)).toEqual(['idle'])
  expect(asked).toHaveLength(1)
})

test('other threads that a server returns as well are not taken from there', async () => {
  const read = async () => [thread('a', { status: 'idle' }), thread('b', { status: 'idle' })]
  await settle([thread('a')], read)
  status = 'interrupted'
  expect(await settle([thread('b')])).toEqual(['interrupted'])
  expect(asked).toHaveLength(1)
})

test('without the reason a thread stays interrupted, and is read again', async () => {
  const failing = () => Promise.reject(new AppError('upstream_failed', 'No.'))
  expect(await settle(stopped(2), failing)).toEqual(['interrupted', 'interrupted'])
  expect(await settle(stopped(2), async () => [])).toEqual(['interrupted', 'interrupted'])
  expect(await settle(stopped(2))).toEqual(['idle', 'idle'])
})

test('someone who leaves meanwhile ends the search', async () => {
  await expect(settle(stopped(1), () => Promise.reject(new Error('left')))).rejects.toThrow('left')
})

test('what is known is kept for at most two thousand threads', async () => {
  const page = async (from: number, length: number) =>
    await settle(Array.from({ length }, (_, n) => thread(`many ${from + n}`)))
  // Whatever other tests have left is forgotten on the way.
  for (let from = 0; from < 4_000; from += 30) await page(from, 30)
  asked = []
  await page(0, 30)
  expect(asked.length).toBeGreaterThan(0)
})

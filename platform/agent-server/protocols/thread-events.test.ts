import { describe, expect, test } from 'vitest'
import type { Entry } from '../runs/events'
import type { NumberedRun } from '../runs/thread-reader'
import { type Filter, filterOf, firstNumber, idOf, numberOf, runOf, viewOf } from './thread-events'

/** How the stored events of runs become those of protocol 2; `event-streaming.test.ts` reads them from a server. */

const ALL = ['values', 'updates', 'messages', 'tools', 'lifecycle', 'input', 'tasks', 'custom']
const run = (more: Partial<NumberedRun> = {}) =>
  ({ run_id: 'r', ordinal: 1, status: 'running', graph_id: 'agent', is_resumable: true, ...more }) as NumberedRun
const entry = (id: number, event: string, data: unknown = {}): Entry => ({
  id,
  event,
  data: JSON.stringify(data),
  at: 1000 + id,
})
const open = (filter: Partial<Filter> = {}) => viewOf({ channels: ALL, ...filter } as Filter)
/** The events that a view has for entries, without what is the same for all. */
const told = (entries: Entry[], view = open(), row = run(), after = -1) =>
  view.framesOf(row, entries, after).map(({ id, event, data }) => {
    const { type, event_id, seq, method, params } = JSON.parse(data)
    expect([type, event_id, String(seq), method]).toEqual(['event', id, id, event])
    return { number: seq, method, ...params }
  })

describe('a subscription', () => {
  test('has what was given of it', () => {
    const channels = ['values', 'custom:count']
    expect(filterOf({ channels } as never)).toEqual({ channels })
    expect(filterOf({ channels, namespaces: null, depth: null, since: null })).toEqual({ channels })
    const full = { channels, namespaces: [['a']], depth: 0, since: 0 }
    expect(filterOf(full)).toEqual(full)
  })

  test('of an unknown channel is refused by its name', () => {
    expect(() => filterOf({ channels: ['values', 'nonsense'] } as never)).toThrow(
      expect.objectContaining({
        status: 422,
        detail: [{ loc: ['body', 'channels'], msg: 'nonsense is not a channel', type: 'enum' }],
      }),
    )
  })
})

test('the numbers of a run are its own, after those of the runs before it', () => {
  expect([0, firstNumber(1) - 1, firstNumber(1), firstNumber(3) + 5].map(runOf)).toEqual([0, 0, 1, 3])
  expect(
    told([entry(0, 'metadata'), entry(4, 'values', { a: 1 })]).map(({ number }) => number - firstNumber(1)),
  ).toEqual([1, 5])
})

test.each([1, 2, 9, 10, 100])('events of attempt %i belong to their run, and can be read on after', (attempt) => {
  const first = (attempt - 1) * 1_000_000_000
  const last = first + 999_999_999
  const ids = [first, first + 1, first + 60_000_000, last]
  const numbers = ids.map((id) => numberOf(7, id))
  expect(numbers.map(runOf)).toEqual([7, 7, 7, 7])
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers)
  expect(numbers.map(idOf)).toEqual(ids)
  expect(told([entry(last, 'metadata')], open(), run({ ordinal: 7 }))[0]?.number).toBe(numbers[3])
})

describe('an event', () => {
  const lifecycle = (event: string, more: object = {}) => ({ event, graph_name: 'agent', ...more })

  test('says when the run began, and how it ended, at the time at which that was stored', () => {
    expect(told([entry(0, 'metadata')])).toEqual([
      {
        number: firstNumber(1) + 1,
        method: 'lifecycle',
        namespace: [],
        timestamp: 1000,
        data: lifecycle('running'),
      },
    ])
    for (const [status, event] of [
      ['success', 'completed'],
      ['error', 'failed'],
      ['timeout', 'failed'],
      ['interrupted', 'interrupted'],
      ['rollback', 'interrupted'],
    ])
      expect(told([entry(1, 'end', { status })])).toMatchObject([{ data: lifecycle(event as string) }])
  })

  test('tells a failure once, with its reason', () => {
    const view = open()
    const failed = [entry(1, 'error', { error: 'E', message: 'broken' }), entry(2, 'end', { status: 'error' })]
    expect(told(failed, view)).toMatchObject([{ data: lifecycle('failed', { error: 'broken' }) }])
    // Another run that fails without a reason.
    const other = run({ run_id: 'r2' })
    expect(told([entry(1, 'end', { status: 'error' })], view, other)).toMatchObject([{ data: lifecycle('failed') }])
    expect(told([entry(3, 'end', { status: 'success' })], view)).toMatchObject([{ data: lifecycle('completed') }])
  })

  test.each([
    ['values', 'values|a:1', { text: 'x' }],
    ['updates', 'updates|a:1', { node: { text: 'x' } }],
    ['custom', 'custom|a:1', { any: 1 }],
  ])('of the mode %s is one of its namespace', (method, event, data) => {
    expect(told([entry(2, event, data)])).toMatchObject([{ method, namespace: ['a:1'], timestamp: 1002 }])
  })

  test('does not repeat an interrupt, which has its own channel, nor tell what is then empty', () => {
    const values = { text: 'x', __interrupt__: [{ id: 'i' }] }
    const [found] = told([entry(2, 'values', values)])
    expect(JSON.stringify(found)).not.toContain('__interrupt__')
    expect(found?.data).toEqual({ text: 'x' })
    expect(told([entry(2, 'values', { __interrupt__: [] }), entry(3, 'updates', {})])).toEqual([])
    expect(told([entry(2, 'custom', {}), entry(3, 'custom', null), entry(4, 'custom', [])])).toHaveLength(3)
  })

  test('of protocol 2 is passed on as it was stored, and what is for other clients is not', () => {
    const body = { method: 'messages', params: { namespace: [], timestamp: 7, data: { event: 'message-start' } } }
    expect(told([entry(1, 'protocol', body)])).toEqual([
      { number: firstNumber(1) + 2, method: 'messages', ...body.params },
    ])
    expect(told([entry(1, 'messages', [{}]), entry(2, 'tools', {}), entry(3, 'debug', {})])).toEqual([])
  })

  test('without a stored time has the present one', () => {
    const before = Date.now()
    const [found] = told([{ id: 0, event: 'metadata', data: '{}' }])
    expect(found?.timestamp).toBeGreaterThanOrEqual(before)
    expect(found?.timestamp).toBeLessThanOrEqual(Date.now())
  })

  test('is told only in its channel, its namespace and after the number that the reader has', () => {
    const entries = [entry(0, 'metadata'), entry(1, 'values', { a: 1 }), entry(2, 'values|a:1', { a: 1 })]
    expect(told(entries, open({ channels: ['lifecycle'] }))).toHaveLength(1)
    expect(told(entries, open({ channels: ['values'] }))).toHaveLength(2)
    expect(told(entries, open({ channels: ['values'], namespaces: [['a']] }))).toHaveLength(1)
    expect(told(entries, open({ since: firstNumber(1) + 2 }))).toHaveLength(1)
    expect(told([entry(1, 'custom', 'x')], open({ channels: ['custom:count'] }))).toEqual([])
  })
})

describe('a run', () => {
  test('is read if its events are kept', () => {
    const { includes, wanted } = open()
    expect([includes?.(run()), includes?.(run({ is_resumable: false }))]).toEqual([true, false])
    expect(wanted).toEqual({ isProtocol: true })
  })

  test('whose events are no longer stored is not told by its end alone', () => {
    const end = [entry(9, 'end', { status: 'success' })]
    expect(told(end, open(), run({ status: 'success' }))).toEqual([])
    // It is, for a reader that has some of it, for one that saw it run, and while the record says that it runs.
    expect(told(end, open(), run({ status: 'success' }), 3)).toHaveLength(1)
    const view = open()
    told([entry(0, 'metadata')], view)
    expect(told(end, view, run({ status: 'success' }))).toHaveLength(1)
    expect(told(end, open(), run())).toHaveLength(1)
    expect(told([entry(8, 'metadata'), ...end], open(), run({ status: 'success' }))).toHaveLength(2)
    expect(open().framesOf(run({ status: 'success' }), [], -1)).toEqual([])
  })
})

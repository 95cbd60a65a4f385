import { expect, test } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import { applyEntry, createRunView } from '@/lib/stream/run-view'
import { changedKeys, hasChanges } from './changed-keys'

function viewOf(...states: (string | { final: string })[]) {
  const view = createRunView()
  for (const [index, state] of states.entries()) {
    const seq = index + 1
    const entry: LogEntry =
      typeof state === 'string'
        ? { seq, at: seq, kind: 'event', event: 'values', data: state }
        : { seq, at: seq, kind: 'final', outcome: 'success', state: state.final }
    applyEntry(view, entry)
  }
  return view
}

test('reports changed, added and removed keys, but not equal values in another notation', () => {
  const view = viewOf(
    '{"a":1,"b":[1,2],"gone":0,"id":12345678901234567890}',
    '{"a":2,"b":[1, 2],"new":1,"id":12345678901234567891}',
  )
  expect(changedKeys(view, 2)).toEqual({ before: 1, changed: ['a', 'id'], added: ['new'], removed: ['gone'] })
  expect(changedKeys(view, 1)).toBeUndefined()
})

test('at the end it reports the last step, not the repeated read of its state', () => {
  const view = viewOf('{"a":1,"b":1}', '{"a":2,"b":1}', { final: '{"values":{"a":2,"b":1},"next":[]}' })
  expect(changedKeys(view, 3)).toMatchObject({ before: 1, changed: ['a'] })
  const late = viewOf('{"a":1}', { final: '{"values":{"a":5},"next":[]}' })
  expect(changedKeys(late, 2)).toMatchObject({ before: 1, changed: ['a'] })
})

test('states that are not objects, not JSON or very large are not compared', () => {
  for (const odd of ['[1]', '{', `{"a":"${'x'.repeat(1_100_000)}"}`])
    expect(changedKeys(viewOf(odd, '{"a":1}'), 2)).toBeUndefined()
  const same = changedKeys(viewOf('{"a":1}', '{"a":1}'), 2)
  expect(same && hasChanges(same)).toBe(false)
})

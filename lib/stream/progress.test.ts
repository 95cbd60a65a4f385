import { expect, test } from 'vitest'
import { progressOf } from './progress'
import { applyEntry, createRunView } from './run-view'

/** A run of the given events, each a name and its data. */
function viewOf(...events: [string, unknown][]) {
  const view = createRunView()
  for (const [index, [event, data]] of events.entries())
    applyEntry(view, { kind: 'event', seq: index + 1, at: index * 10, event, data: JSON.stringify(data) })
  return view
}
const starts = (name: string, id = name) => ({ id, name, input: {}, triggers: [] })
const ends = (name: string, id = name) => ({ id, name, result: {}, interrupts: [] })

test('names the running node and the newest custom event', () => {
  const view = viewOf(['tasks', starts('slow')], ['custom', { tick: 8 }], ['custom', { tick: 9, parts: [1] }])
  expect(progressOf(view)).toEqual({ nodes: [{ name: 'slow', count: 1 }], note: 'tick 9' })
})

test('of a run that was joined while a node ran, only its custom events are known', () => {
  expect(progressOf(viewOf(['custom', 'tick 9']))).toEqual({ nodes: [], note: 'tick 9' })
})

test('a custom event of an earlier node is not the note of this one', () => {
  const view = viewOf(
    ['tasks', starts('first')],
    ['custom', 'working'],
    ['tasks', ends('first')],
    ['tasks', starts('next')],
  )
  expect(progressOf(view)).toEqual({ nodes: [{ name: 'next', count: 1 }], note: undefined })
})

test('of a subgraph, names what runs inside it', () => {
  const view = viewOf(
    ['tasks', starts('outer', 't1')],
    ['tasks|outer:t1', starts('inner')],
    ['custom|outer:t1', 'half'],
  )
  expect(progressOf(view)).toEqual({ nodes: [{ name: 'inner', count: 1 }], note: 'half' })
})

test('counts parallel executions, and says nothing once they ended', () => {
  const parallel = viewOf(['tasks', starts('work', 'a')], ['tasks', starts('work', 'b')])
  expect(progressOf(parallel)?.nodes).toEqual([{ name: 'work', count: 2 }])
  expect(progressOf(viewOf(['tasks', starts('work')], ['tasks', ends('work')]))).toBeUndefined()
  expect(progressOf(viewOf(['custom', [1, 2]]))).toBeUndefined()
})

test('an ended run has no progress, even if its log has no end of a node', () => {
  const view = viewOf(['tasks', starts('slow')])
  expect(progressOf({ ...view, final: { kind: 'final', seq: 2, at: 2, outcome: 'success' } })).toBeUndefined()
})

test('the note is one that came since the first of the running nodes began', () => {
  const view = viewOf(['tasks', starts('a')], ['custom', 'between'], ['tasks', starts('b')])
  expect(progressOf(view)?.note).toBe('between')
  expect(progressOf({ ...view, custom: { seq: 1, text: '"with the start"' } })?.note).toBe('with the start')
  expect(progressOf({ ...view, custom: { seq: 0, text: '"before"' } })?.note).toBeUndefined()
})

test('of two subgraphs, each is as far as what runs inside it', () => {
  const view = viewOf(
    ['tasks', starts('left', '1')],
    ['tasks', starts('right', '2')],
    ['tasks|left:1', starts('deep', '3')],
    ['tasks|left:1|deep:3', starts('deepest', '4')],
    ['tasks|other:9', starts('right', '5')],
  )
  expect(progressOf(view)?.nodes).toEqual([
    { name: 'right', count: 1 },
    { name: 'deepest', count: 1 },
    { name: 'right', count: 1 },
  ])
})

test.each([
  ['x'.repeat(80), 'x'.repeat(80)],
  [12, '12'],
  [true, undefined],
  [null, undefined],
  ['  ', undefined],
  [{ a: 1, b: 'x', c: true, d: 2, e: 3 }, 'a 1, b x, c true, d 2'],
  ['a\n  text', 'a text'],
  [{ done: 3, of: 10, nested: {} }, 'done 3, of 10'],
  [[1, 2], undefined],
  ['x'.repeat(100), `${'x'.repeat(79)}…`],
])('writes %j as %s', (data, note) => {
  expect(progressOf(viewOf(['tasks', starts('slow')], ['custom', data]))?.note).toBe(note)
})

import { expect, test } from 'vitest'
import { parseJson } from '@/lib/json/lossless'
import { interruptIds, openInterrupts, readInterrupt } from './questions'

const open = (state: Record<string, unknown>) =>
  openInterrupts(JSON.stringify(state), state).map(({ id, namespace }) => [
    id,
    namespace.map(({ node, task }) => `${node}:${task}`).join('|'),
  ])

test('an interrupt is read from servers of every age', () => {
  const schema = { type: 'boolean' }
  expect(readInterrupt({ id: 'i', value: 1, response_schema: schema, namespace: 'a:1|b:2' }, 'x')).toEqual({
    ...{ id: 'i', value: 1, schema },
    namespace: [
      { node: 'a', task: '1' },
      { node: 'b', task: '2' },
    ],
  })
  expect(readInterrupt({ interrupt_id: 7, ns: ['a:1', 2, 'b:2'] }, 'x')).toMatchObject({
    ...{ id: '7', schema: undefined },
    namespace: [{ node: 'a' }, { node: 'b' }],
  })
  expect(readInterrupt({ id: {}, ns: 5, response_schema: 'text' }, 'x')).toEqual({
    ...{ id: 'x', value: undefined, schema: undefined, namespace: [] },
  })
})

test('a state lists its open interrupts directly, at its tasks and inside their states, each once where it was asked', () => {
  const asked = { id: 'i', value: 1 }
  const inner = { tasks: [{ id: '2', name: 'ask', interrupts: [asked] }] }
  expect(open({ interrupts: [asked], tasks: [{ id: '1', name: 'sub', interrupts: [asked], state: inner }] })).toEqual([
    ['i', 'sub:1'],
  ])
  const deeper = { tasks: [{ id: '2', name: 'deep', state: { interrupts: [{ id: 'j' }] } }] }
  expect(open({ tasks: [{ id: '1', name: 'sub', state: deeper }, { state: { interrupts: [{ value: 1 }] } }] })).toEqual(
    [
      ['j', 'sub:1|deep:2'],
      [':#0', ':'],
    ],
  )
  expect(open({ interrupts: [{ ...asked, ns: ['own:5'] }, 'text'] })).toEqual([['i', 'own:5']])
  for (const nothing of [{}, { interrupts: 'text', tasks: 7 }, { tasks: [{ interrupts: [] }, null] }])
    expect(open(nothing)).toEqual([])
})

test('long numbers keep their digits', () => {
  const text = '{"interrupts":[{"id":"i","value":12345678901234567890}]}'
  expect(String(openInterrupts(text, JSON.parse(text))[0]?.value)).toBe('12345678901234567890')
})

test('questions of a state that is nested too deeply to be read exactly are those of the state as read', () => {
  const text = `{"interrupts":[{"id":"i","value":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`
  expect(() => parseJson(text)).toThrow()
  expect(openInterrupts(text, { interrupts: [{ id: 'i', value: 1 }] })).toMatchObject([{ id: 'i', value: 1 }])
})

test('of two places with one question the inner one asked, or the first of equals', () => {
  const asked = { id: 'i', value: 1 }
  const task = (id: string, own: object) => ({ id, name: 'sub', state: { interrupts: [{ ...asked, ...own }] } })
  const whole = { tasks: [task('1', { value: 'first' }), task('2', { value: 'second' })] }
  expect(openInterrupts(JSON.stringify(whole), whole)).toMatchObject([{ value: 'first', namespace: [{ task: '1' }] }])
  const deep = { interrupts: [{ ...asked, ns: 'sub:1|deep:2' }], tasks: [task('3', {})] }
  expect(open(deep)).toEqual([['i', 'sub:1|deep:2']])
  expect(interruptIds({ ...deep, tasks: [...deep.tasks, { interrupts: [{ value: 2 }] }] })).toEqual(['i', '#0'])
})

test('states within states are read to a depth of 20', () => {
  const nested = (depth: number): Record<string, unknown> =>
    depth === 0
      ? { interrupts: [{ id: 'deepest' }] }
      : { tasks: [{ id: String(depth), name: 'sub', state: nested(depth - 1) }] }
  expect([open(nested(20)).length, open(nested(21)).length]).toEqual([1, 0])
})

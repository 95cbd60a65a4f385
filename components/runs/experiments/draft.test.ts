import { expect, test } from 'vitest'
import { inputPreview, messageInput, readJsonLines, type Subject } from '@/lib/stream/experiments'
import {
  checkOf,
  columnOf,
  firstSubjects,
  hasTwin,
  inputsOf,
  nameOf,
  nextSubject,
  type SubjectDraft,
  textOfInputs,
} from './draft'

test.each([
  ['message', ' Hello ', [], [messageInput('Hello')]],
  ['lines', '"Hello"\n\n{"n": 1}', [], [messageInput('Hello'), '{"n": 1}']],
  ['runs', 'left over', ['{"a":1}'], ['{"a":1}']],
] as const)('inputs from %s', (kind, text, chosen, inputs) => {
  expect(inputsOf(kind, text, chosen)).toEqual({ inputs })
})

test.each([
  ['message', '  ', 'Enter an input.'],
  ['lines', '{"a":1}\n{', 'Line 2 is not JSON.'],
  ['lines', '7', 'Line 1 is neither an object nor a text.'],
  ['runs', '', 'Choose a run.'],
] as const)('%s without inputs (%j) says why', (kind, text, problem) => {
  expect(inputsOf(kind, text, [])).toEqual({ inputs: [], problem })
})

test('inputs read back as they were written', () => {
  const inputs = [messageInput('Say "hi"\nplease'), '{"n":1}']
  const { kind, text } = textOfInputs(inputs)
  expect(kind).toBe('lines')
  expect(readJsonLines(text)).toEqual({ inputs })
  expect(textOfInputs([messageInput('Hello')])).toEqual({ kind: 'message', text: 'Hello' })
  expect(textOfInputs(['{"n":1}'])).toEqual({ kind: 'lines', text: '{"n":1}' })
})

test('an input with more than a message is shown whole', () => {
  const more = '{"messages":[{"role":"user","content":"Hi"}],"topic":"x"}'
  expect(inputPreview(more)).toBe(more)
  expect(nameOf([messageInput('What  is\nthis?')])).toBe('What is this?')
})

test.each([
  [
    { kind: 'latency', text: '2.5', path: '' },
    { kind: 'latency', ms: 2_500 },
  ],
  [{ kind: 'latency', text: 'soon', path: '' }, 'Enter seconds, such as 2.5.'],
  [{ kind: 'equals', text: '1', path: ' ' }, 'Enter a path.'],
  [
    { kind: 'equals', text: '1', path: 'a' },
    { kind: 'equals', path: 'a', value: '1' },
  ],
  [{ kind: 'contains', text: ' ', path: '' }, 'Enter a value, or remove the check.'],
] as const)('the check %j', (row, expected) => {
  expect(checkOf(row)).toEqual(expected)
})

test('a form starts with the given versions, or with two columns', () => {
  expect(firstSubjects({ deployment: 'd', assistant: 'a', versions: ['1', '2'] })).toMatchObject([
    { deployment: 'd', assistant: 'a', version: '1' },
    { version: '2' },
  ])
  expect(firstSubjects({ deployment: 'd', revisions: ['r1', 'r2'] })).toMatchObject([
    { deployment: 'd', version: '', revision: 'r1' },
    { revision: 'r2' },
  ])
  expect(firstSubjects({})).toHaveLength(2)
})

test('an experiment is repeated with its chosen revisions, and otherwise with the one that serves', () => {
  const subject = { deployment: 'd', assistant: 'a', version: null, revision: 'r1' } as Subject
  const again = { subjects: [{ ...subject, isPinned: true }, subject], inputs: [], checks: [], name: 'x' }
  expect(firstSubjects({ again }).map(({ revision }) => revision)).toEqual(['r1', ''])
})

const row = firstSubjects({ deployment: 'd', assistant: 'a', versions: ['1'] })[0] as SubjectDraft
const more = {
  ...row.more,
  recursionLimit: '7',
  tags: 'a, b',
  metadata: '{"n":12345678901234567890}',
  interruptAfter: '*',
}

test('columns of the same assistant are twins unless their options differ', () => {
  expect(hasTwin([row, { ...row, version: '' }])).toBe(false)
  expect(hasTwin([row, { ...row, key: 'other', title: 'Other' }])).toBe(true)
  expect(hasTwin([row, row].map((one) => ({ ...one, assistant: '' })))).toBe(false)
  expect(hasTwin([row, { ...row, context: '{"temperature":1}' }])).toBe(false)
  expect(hasTwin([row, { ...row, more }])).toBe(false)
  expect(hasTwin([row, { ...row, revision: 'r1' }])).toBe(false)
})

test.each([
  ['a context', false],
  ['the configuration of an older graph', true],
])('%s is shown again as it was typed when an experiment is repeated', (_, isConfigured) => {
  const typed = { ...row, title: 'Hot', context: '{\n  "id": 12345678901234567890\n}', more }
  const subject = { ...columnOf(typed, isConfigured), deployment: 'd', assistant: 'a', version: 1 } as Subject
  expect(subject.options?.includes('"configurable"')).toBe(isConfigured)
  const [again] = firstSubjects({ again: { subjects: [subject], inputs: [], checks: [], name: 'x' } })
  expect(columnOf(again as SubjectDraft, isConfigured)).toEqual(columnOf(typed, isConfigured))
  expect(again).toMatchObject({ title: 'Hot', version: '1', more: { recursionLimit: '7', interruptAfter: '*' } })
})

test('a column without options sends none, and one of before has none', () => {
  expect(columnOf(row, false)).toEqual({})
  const old = { deployment: 'd', assistant: 'a', version: null } as Subject
  expect(firstSubjects({ again: { subjects: [old], inputs: [], checks: [], name: 'x' } })).toMatchObject([
    { version: '', title: '', context: '', more: row.more },
  ])
})

test('one more row is like the last, under a name of its own', () => {
  expect(nextSubject([row, { ...row, title: 'Hot', more }], 'new')).toEqual({ ...row, title: '', more, key: 'new' })
})

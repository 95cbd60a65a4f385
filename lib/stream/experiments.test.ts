import { expect, test } from 'vitest'
import {
  columnNames,
  inputPreview,
  messageInput,
  type PairResult,
  readJsonLines,
  revisionOf,
  type Subject,
  subjectLabel,
} from './experiments'

test('a subject is called by its name, version and deployment', () => {
  const subject = { name: 'chat', version: 3, deploymentName: 'demo' } as Subject
  expect(subjectLabel(subject)).toBe('chat v3 on demo')
  expect(subjectLabel({ ...subject, version: null })).toBe('chat on demo')
})

test('columns that would be called the same are numbered, and a title wins', () => {
  const chat = { name: 'chat', version: null, deploymentName: 'demo' } as Subject
  const titled = { ...chat, title: 'Hot' }
  expect(columnNames([chat, titled, chat, { ...chat, version: 2 }])).toEqual([
    'chat on demo (1)',
    'Hot',
    'chat on demo (2)',
    'chat v2 on demo',
  ])
})

test.each([
  [messageInput('Hello'), 'Hello'],
  ['{"messages":[{"content":"a"},{"content":"b"}]}', undefined],
  ['{"messages":[{"content":"a"}],"mode":"x"}', undefined],
  ['{"messages":[{"content":[]}]}', undefined],
  ['{"messages":"a"}', undefined],
  ['{"messages":[]}', undefined],
  ['{"n":1}', undefined],
  ['null', undefined],
  ['not JSON', undefined],
])('the input %s is shown as its only message, else as it is', (input, preview) => {
  expect(inputPreview(input)).toBe(preview ?? input)
})

test('JSON lines are messages or whole inputs; the first wrong line is named', () => {
  expect(readJsonLines('"Hi"\n\n  {"n": 1}  \n   \n')).toEqual({ inputs: [messageInput('Hi'), '{"n": 1}'] })
  expect(readJsonLines('')).toEqual({ inputs: [] })
  expect(readJsonLines('"a"\n{"n":}\n7')).toEqual({ inputs: [], problem: 'Line 2 is not JSON.' })
  for (const line of ['7', 'null', '[1]'])
    expect(readJsonLines(`"a"\n${line}`).problem).toBe('Line 2 is neither an object nor a text.')
})

test('a column of a chosen revision is called by it too', () => {
  const subject = { name: 'chat', version: null, deploymentName: 'demo', revision: '12345678-0000' } as Subject
  expect(subjectLabel(subject)).toBe('chat on demo')
  expect(subjectLabel({ ...subject, isPinned: true })).toBe('chat on demo, revision 12345678')
})

test.each([
  ['that served throughout the run', { revision: 'r2' }, { id: 'r2', isInferred: false }],
  ['that is unknown', { revision: null }, { id: null, isInferred: false }],
  ['that is inferred for runs of before', {}, { id: 'r1', isInferred: true }],
  ['of no result', null, undefined],
])('the revision of a result: the one %s', (_, result, expected) => {
  expect(revisionOf(result as PairResult | null, { revision: 'r1' })).toEqual(expected)
})

test('a server without revisions has none to tell', () => {
  expect(revisionOf({ revision: null } as PairResult, { revision: null })).toBeUndefined()
})

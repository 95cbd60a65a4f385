import { expect, test } from 'vitest'
import type { Thread } from '@/lib/contracts/agents/threads'
import { RECORDING_KEY } from './log'
import {
  askedText,
  dayOf,
  excerptOf,
  messageTexts,
  ownMetadata,
  previewFields,
  recordingTitle,
  threadGroups,
  threadRow,
  titleFields,
  titleOf,
  VALUES_PREVIEW,
  VALUES_TEXT,
  valuesPreview,
  valuesText,
} from './thread-rows'

const thread = (change: Partial<Thread>): Thread => ({ thread_id: 't', metadata: {}, status: 'idle', ...change })
const message = (type: string, content: unknown, more = {}) => ({ type, content, ...more })

test.each<[string, Partial<Thread>, { title: string; preview: string }]>([
  [
    'its first human message, and the last message as preview',
    { extracted: { first: message('human', 'What is\n 6 * 7?'), last: message('ai', '**42**, see\n- `sums`') } },
    { title: 'What is 6 * 7?', preview: '42, see sums' },
  ],
  [
    'the title of its metadata',
    { metadata: { title: 'Sums' }, extracted: { first: message('human', 'x'), last: message('human', 'x') } },
    { title: 'Sums', preview: '' },
  ],
  [
    'the text among other content',
    {
      extracted: {
        first: message('user', [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: 'x' },
        ]),
      },
    },
    { title: 'Look', preview: '' },
  ],
  [
    'no title without a human message, and a tool call as preview',
    {
      extracted: {
        first: message('system', 'Be kind.'),
        last: message('ai', '', { tool_calls: [{ id: 'c', name: 'clock', args: {} }] }),
      },
    },
    { title: 'Untitled thread', preview: 'clock(…)' },
  ],
  ['a text of its values', { extracted: { first: null, [VALUES_TEXT]: 'B-7' } }, { title: 'B-7', preview: '' }],
  [
    'a text of its values as preview',
    { extracted: { first: null, last: null, [VALUES_TEXT]: 'B-7', [VALUES_PREVIEW]: 'Declined by the bank' } },
    { title: 'B-7', preview: 'Declined by the bank' },
  ],
  [
    'no preview that repeats its title',
    { extracted: { first: null, [VALUES_TEXT]: 'Dear team', last: message('ai', 'Dear team') } },
    { title: 'Dear team', preview: '' },
  ],
  ['no title on servers that extract nothing', {}, { title: 'Untitled thread', preview: '' }],
])('a thread is shown with %s', (_name, change, expected) => {
  expect(threadRow(thread(change))).toMatchObject(expected)
})

test('a thread without messages is titled by its input: a text, or its beginning as JSON', () => {
  const titled = (properties: object, values: object) =>
    valuesText(Object.fromEntries(titleFields({ properties }).map((name) => [name, (values as never)[name]])))
  const text = { type: 'string' }
  expect(titled({ count: { type: 'number' }, order: text }, { count: 2, order: ' B-7\n', more: 'x' })).toBe('B-7')
  expect(titled({ count: { type: 'number' }, order: text }, { count: 2, order: '' })).toBe('{ "count": 2 }')
  // Lists may be long, so they are read only where there is nothing else.
  expect(titleFields({ properties: { docs: { type: 'array' }, topic: text } })).toEqual(['topic'])
  expect(titled({ numbers: { type: 'array' } }, { numbers: [1, 2] })).toBe('{ "numbers": [ 1, 2 ] }')
  expect(titleFields({ properties: { messages: { type: 'array' }, 'a.b[0]': text } })).toEqual([])
  expect([titleFields(null), valuesText(null), valuesText({ a: [], b: null, __c: 'x' })]).toEqual([[], '', ''])
  // Without knowing what is input, values beside messages are no title, unless they are a text.
  expect(valuesText({ messages: [1], steps: 3 })).toBe('')
  expect(valuesText({ messages: [1], topic: 'Ships' })).toBe('Ships')
})

test('a thread without messages is previewed by its output: the last text, or short values by name', () => {
  const properties = {
    order: { type: 'string' },
    report: { type: 'string' },
    paid: { type: 'boolean' },
    rows: { type: 'array' },
    messages: { type: 'string' },
  }
  expect(previewFields({ properties }, ['order'])).toEqual(['report', 'paid'])
  expect(previewFields(null, [])).toEqual([])
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`field${at}`, { type: 'number' }]))
  expect(previewFields({ properties: many }, [])).toHaveLength(6)
  expect(valuesPreview({ __start__: 'inner', note: 'Done', empty: ' ' }, 'Title')).toBe('Done')
  expect(valuesPreview({ note: 'Done', __end__: 'inner' }, '')).toBe('Done')
  expect(valuesPreview({ inner__: 'Kept', empty: '' }, '')).toBe('Kept')
  expect(valuesPreview({ empty: ' ', total: 12, none: null }, 'Title')).toBe('total: 12')
  expect(valuesPreview({ order: 'B-7', report: ' All\nwell', paid: true, late: '' }, 'B-7')).toBe('All well')
  expect(valuesPreview({ order: 'B-7', paid: false, total: 12, rows: [1] }, 'B-7')).toBe('paid: false, total: 12')
  expect(valuesPreview({ workers: 12 }, '{ "workers": 12 }')).toBe('')
  expect([valuesPreview(null, ''), valuesPreview({ messages: [1], report: 'x' }, '')]).toEqual(['', ''])
})

test('threads that need input come first, the others by day', () => {
  const now = new Date(2026, 10, 23, 12)
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
  const rows = (
    [
      ['a', 'idle', at(23, 1)],
      ['b', 'interrupted', at(1, 1)],
      ['c', 'error', at(22, 23)],
      ['d', 'idle', at(21, 23)],
      ['e', 'idle', null],
    ] as const
  ).map(([id, status, updated_at]) => threadRow(thread({ thread_id: id, status, updated_at })))
  expect(threadGroups(rows, now).map((group) => [group.label, group.rows.map(({ id }) => id).join('')])).toEqual([
    ['Needs input', 'b'],
    ['Today', 'a'],
    ['Yesterday', 'c'],
    ['Earlier', 'de'],
  ])
  expect(threadGroups(rows.slice(2, 3), now).map(({ label }) => label)).toEqual(['Yesterday'])
  expect(threadGroups([], now)).toEqual([])
})

test.each([
  ['2026-11-23T10:00:00', 'idle', 'Today'],
  ['2026-11-22T00:00:00', 'idle', 'Yesterday'],
  ['2026-11-21T23:59:59', 'idle', 'Saturday 21 November'],
  ['2025-11-21T12:00:00', 'idle', '21 November 2025'],
  ['2025-11-21T12:00:00', 'interrupted', 'Needs input'],
  [null, 'idle', 'Date unknown'],
])('a thread changed at %s and %s is under %s', (at, status, label) => {
  expect(dayOf({ at, status }, new Date(2026, 10, 23, 12))).toBe(label)
})

test('without the reader’s time zone, days are those of UTC', () => {
  const now = new Date('2026-01-01T00:30:00Z')
  const label = (at: string) => dayOf({ at, status: 'idle' }, now, 'UTC')
  expect(label('2026-01-01T00:00:00Z')).toBe('Today')
  expect(label('2025-12-31T23:59:59Z')).toBe('Yesterday')
  expect(label('2025-12-30T23:59:59Z')).toBe('30 December 2025')
  expect(dayOf({ at: '2026-03-02T23:30:00Z', status: 'idle' }, new Date('2026-03-09T01:00:00Z'), 'UTC')).toBe(
    'Monday 2 March',
  )
})

test('a match is shown with the text around it', () => {
  const text = `${'before '.repeat(20)}the Needle in ${'after '.repeat(30)}`
  expect(excerptOf(text, 'needle')).toMatch(/^….*Needle in after/)
  expect(excerptOf('Needle first', 'NEEDLE')).toBe('Needle first')
  expect(excerptOf(text, 'thread')).toBeUndefined()
})

test('message texts leave out what is no text, and survive what is no message', () => {
  expect(
    messageTexts([message('human', 'one'), message('ai', [{ type: 'image' }]), null, 7, message('ai', 'two')]),
  ).toEqual(['one', 'two'])
  expect(messageTexts('no list')).toEqual([])
})

test('metadata of servers and of this console is hidden', () => {
  const own = { customer: 'Ada', tries: 2 }
  const ours = { graph_id: 'chat', assistant_id: 'a', title: 'Sums', [RECORDING_KEY]: 'r', langgraph_version: '1' }
  expect(ownMetadata({ ...ours, ...own })).toBe('customer: Ada, tries: 2')
})

const asked = (input: unknown) => askedText(JSON.stringify({ assistant_id: 'a', input }))

test('a run was asked its last message, or its input', () => {
  expect(
    asked({
      messages: [
        { role: 'user', content: 'First' },
        { role: 'user', content: 'What is\n  6 * 7?' },
      ],
    }),
  ).toBe('What is 6 * 7?')
  expect(asked({ messages: 'Just text' })).toBe('Just text')
  expect(asked({ messages: [{ type: 'human', content: [{ type: 'text', text: 'Look' }] }] })).toBe('Look')
  expect(asked({ numbers: [1, 2] })).toMatch(/"numbers"/)
  // A function takes any value.
  expect(asked('Just\ntext')).toBe('Just text')
  expect(asked([{ role: 'user', content: 'Look' }])).toBe('Look')
  expect([asked(['a', 2]), asked(7), asked(false)]).toEqual(['[ "a", 2 ]', '7', 'false'])
  expect(asked({ text: 'x'.repeat(900) })?.length).toBe(200)
})

test('a run that answers questions was asked the answers', () => {
  const answer = (resume: unknown) => askedText(JSON.stringify({ assistant_id: 'a', input: null, command: { resume } }))
  expect(answer('approve')).toBe('Answer: approve')
  expect(answer({ decisions: [{ type: 'approve' }] })).toBe('Answer: { "decisions": [ { "type": "approve" } ] }')
  expect(answer({ ['0a'.repeat(16)]: 'yes', ['1b'.repeat(16)]: 2 })).toBe('Answer: yes, 2')
  expect(answer(undefined)).toBeUndefined()
})

test('a request that is cut, or without input, tells nothing', () => {
  expect(askedText('{"input": {"messages": [{"content": "What')).toBeUndefined()
  expect([null, {}, [], ''].map(asked)).toEqual([undefined, undefined, undefined, undefined])
  expect(askedText('[]')).toBeUndefined()
})

test('a file is called by what its run was asked, else by its graph and start, never by an id', () => {
  const assistant = 'fe096781-5601-53d2-b2f6-0d3403f7e9ca'
  const startedAt = '2026-11-25T18:17:31.000Z'
  const request = JSON.stringify({ input: { messages: [{ role: 'user', content: 'Hello' }] } })
  expect(recordingTitle({ assistant, request, startedAt })).toBe('Hello')
  expect(recordingTitle({ assistant, request: '{}', startedAt })).toBe('Run of 2026-11-25 18:17 UTC')
  expect(recordingTitle({ assistant: 'sums', request: '{}', startedAt: 'no time' })).toBe('sums')
})

test('what the server says of a thread’s first assistant is not a person’s metadata', () => {
  expect(ownMetadata({ created_by: 'system', topic: 'lunch' })).toBe('topic: lunch')
  expect(ownMetadata({ created_by: 'ada' })).toBe('created_by: ada')
})

test.each([
  [{ title: 'A', name: 'B' }, 'A'],
  [{ title: '  ', name: 'B' }, 'B'],
  [{ title: 7, thread_name: ' C\n c ' }, 'C c'],
  [{}, 'asked'],
  [{ name: 'x'.repeat(90) }, `${'x'.repeat(79)}…`],
])('the title of a thread with the metadata %j is %j', (metadata, title) => {
  expect(titleOf(metadata, 'asked')).toBe(title)
})

test('a row has the id, status and time of its thread', () => {
  const made = { created_at: '2026-01-01', updated_at: null }
  expect(threadRow(thread(made))).toMatchObject({ id: 't', status: 'idle', at: '2026-01-01' })
  expect(threadRow(thread({ ...made, updated_at: '2026-01-02' })).at).toBe('2026-01-02')
})

test('a day without a time of its own is in the list of earlier ones', () => {
  const now = new Date(2026, 10, 23, 12)
  expect(dayOf({ at: undefined, status: 'idle' }, now)).toBe('Date unknown')
  expect(dayOf({ at: 'soon', status: 'idle' }, now)).toBe('Date unknown')
  expect(dayOf({ at: '2026-11-24T10:00:00', status: null }, now)).toBe('Today')
})

test('an excerpt begins at the start of a short text and has a limit', () => {
  expect(excerptOf('a Needle', 'needle')).toBe('a Needle')
  const long = excerptOf(`${'x '.repeat(30)}needle ${'y '.repeat(300)}`, 'needle')
  expect([long?.startsWith('…'), long?.length]).toEqual([true, 81])
})

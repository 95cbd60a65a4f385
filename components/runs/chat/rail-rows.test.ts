import { expect, test } from 'vitest'
import type { Thread } from '@/lib/contracts/agents/threads'
import { railGroups, railRow } from './rail-rows'

const thread = (change: Partial<Thread>): Thread => ({ thread_id: 't', metadata: {}, status: 'idle', ...change })
const message = (type: string, content: unknown, more = {}) => ({ type, content, ...more })

test.each<[string, Partial<Thread>, { title: string; preview: string }]>([
  [
    'its first human message, and the last message as preview',
    { extracted: { first: message('human', 'What is\n 6 * 7?'), last: message('ai', '42') } },
    { title: 'What is 6 * 7?', preview: '42' },
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
  ['no title on servers that extract nothing', {}, { title: 'Untitled thread', preview: '' }],
])('a thread is shown with %s', (_name, change, expected) => {
  expect(railRow(thread(change))).toMatchObject(expected)
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
  ).map(([id, status, updated_at]) => railRow(thread({ thread_id: id, status, updated_at })))
  expect(railGroups(rows, now).map((group) => [group.label, group.rows.map(({ id }) => id).join('')])).toEqual([
    ['Needs input', 'b'],
    ['Today', 'a'],
    ['Yesterday', 'c'],
    ['Earlier', 'de'],
  ])
})

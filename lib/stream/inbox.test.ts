import { expect, test } from 'vitest'
import { parseJson } from '@/lib/json/lossless'
import { aboutLine, askLine, briefOf, type UnreadDeployment, type WaitingThread } from './inbox'

test.each([
  ['Go   on?\n', 'Go on?'],
  [{ question: 'Send it?', draft: 'long' }, 'Send it?'],
  [{ action_requests: [{ name: 'send', args: {} }, { name: 'delete' }] }, 'send, delete'],
  [{ action_requests: ['mail', 'drop', 'mail'].map((name) => ({ name, args: {} })) }, 'mail × 2, drop'],
  [{ action_request: { action: 'mail', args: {} }, config: { allow_accept: true } }, 'mail'],
  [parseJson('[1, {"serial": 12345678901234567890}]'), '[1,{"serial":12345678901234567890}]'],
  [null, 'null'],
  [undefined, 'null'],
  [{ __proto__: null, question: { nested: true } }, '{"question":{"nested":true}}'],
])('a question of any shape is summarized in a line: %j', (value, line) => {
  expect(askLine(value)).toBe(line)
})

test.each([
  [{ question: 'Send it?', draft: 'Dear  team', copies: 3, options: ['yes'] }, 'draft: Dear team, copies: 3'],
  [{ action_requests: [{ name: 'send', args: { to: 'Ada' } }, { name: 'delete' }] }, 'to: Ada'],
  [{ action_request: { action: 'mail', args: { to: ['Ada'] } }, config: { allow_accept: true } }, 'to: ["Ada"]'],
  [{ message: 'Which one?', text: 'Left or right' }, 'text: Left or right'],
  [{ question: 'Send it?' }, ''],
  [{ huge: { nested: true } }, ''],
  ['Go on?', ''],
  [null, ''],
])('what the question %j is about is the line %j', (value, line) => {
  expect(aboutLine(value)).toBe(line)
})

test('a long one is truncated', () => {
  expect(askLine('word '.repeat(1_000))).toHaveLength(160)
  expect(askLine({ huge: 'x'.repeat(1_000_000) })).toHaveLength(160)
  expect(aboutLine({ question: 'Go on?', huge: 'x'.repeat(1_000_000) })).toHaveLength(160)
})

test('the brief of an inbox counts its threads, and says if it may be incomplete', () => {
  const thread = { since: '2026-01-01T00:00:00Z' } as WaitingThread
  const inbox = { threads: [thread, { ...thread, since: null }], unread: [], cut: [], pending: 0 }
  expect(briefOf(inbox)).toEqual({
    ...{ threads: 2, unread: 0, unreadName: null, isCut: false, oldest: '2026-01-01T00:00:00Z' },
  })
  expect(briefOf({ ...inbox, cut: ['demo'] }).isCut).toBe(true)
  expect(briefOf({ ...inbox, pending: 1 }).isCut).toBe(true)
  const unread = [{ deploymentName: 'demo' } as UnreadDeployment]
  expect(briefOf({ ...inbox, threads: [], unread })).toMatchObject({
    threads: 0,
    unread: 1,
    unreadName: 'demo',
    oldest: null,
  })
})

test.each([
  [{ message: '  ', prompt: 'Which one?' }, 'Which one?'],
  [{ title: 'A', text: 'B' }, 'A'],
  [{ text: 'B' }, 'B'],
  [{ action_requests: [{ name: '' }, { name: 'send' }] }, 'an action, send'],
  ['x'.repeat(160), 'x'.repeat(160)],
  ['x'.repeat(161), `${'x'.repeat(159)}…`],
])('the question %j is the line %j', (value, line) => {
  expect(askLine(value)).toBe(line)
})

import { expect, test } from 'vitest'
import {
  DEFAULT_STREAM_MODES,
  eventsOf,
  OFFERED_STREAM_MODES,
  STREAM_MODE_NAMES,
  STREAM_MODES,
  userDataOf,
} from './stream-modes'

test('no two modes send events with the same name', () => {
  const names = STREAM_MODE_NAMES.flatMap((mode) => Object.keys(STREAM_MODES[mode].events))
  expect(new Set(names).size).toBe(names.length)
})

test('every default mode is offered in the form', () => {
  expect(OFFERED_STREAM_MODES).toEqual(expect.arrayContaining([...DEFAULT_STREAM_MODES]))
})

test.each(['', 'unknown', '__proto__', 'constructor', 'messages-tuple'])(
  'all data of the event %j is checked',
  (name) => {
    expect(userDataOf(name)).toBe('none')
  },
)

test('a mode has the events of its row; an unknown one has the event with its own name', () => {
  expect(eventsOf('messages-tuple')).toEqual(['messages'])
  expect(eventsOf('messages')).toContain('messages/partial')
  expect(eventsOf('messages')).not.toContain('messages')
  expect(eventsOf('constructor')).toEqual(['constructor'])
})

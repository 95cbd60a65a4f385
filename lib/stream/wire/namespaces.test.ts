import { expect, test } from 'vitest'
import { displayNamespace, parseEventName, parseNamespace } from './namespaces'

test('an event’s name is its mode and the place that sent it', () => {
  expect(parseEventName('values')).toEqual({ mode: 'values', namespace: [], path: '' })
  expect(parseEventName('messages/partial|a:1|b:c:2')).toEqual({
    mode: 'messages/partial',
    path: 'a:1|b:c:2',
    namespace: [
      { node: 'a', task: '1' },
      { node: 'b:c', task: '2' },
    ],
  })
  expect(parseNamespace('a')).toEqual([{ node: 'a', task: '' }])
  expect(displayNamespace(parseNamespace('a:1|b:2'))).toBe('a › b')
})

test('repeated names are read once, until very many others came', () => {
  const first = parseEventName('updates|once:1')
  expect(parseEventName('updates|once:1')).toBe(first)
  for (let n = 0; n < 2_000; n++) parseEventName(`updates|many:${n}`)
  expect(parseEventName('updates|once:1')).not.toBe(first)
  expect(parseEventName('updates|once:1')).toEqual(first)
})

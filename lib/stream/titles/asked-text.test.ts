import { expect, test } from 'vitest'
import { askedText, recordingTitle } from './asked-text'

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
  expect(asked({ text: 'x'.repeat(900) })?.length).toBe(200)
})

test('a request that is cut, or without input, tells nothing', () => {
  expect(askedText('{"input": {"messages": [{"content": "What')).toBeUndefined()
  expect([asked(null), asked({}), askedText('[]')]).toEqual([undefined, undefined, undefined])
})

test('a file is called by what its run was asked, else by its graph and start, never by an id', () => {
  const assistant = 'fe096781-5601-53d2-b2f6-0d3403f7e9ca'
  const startedAt = '2026-11-25T18:17:31.000Z'
  const request = JSON.stringify({ input: { messages: [{ role: 'user', content: 'Hello' }] } })
  expect(recordingTitle({ assistant, request, startedAt })).toBe('Hello')
  expect(recordingTitle({ assistant, request: '{}', startedAt })).toBe('Run of 2026-11-25 18:17 UTC')
  expect(recordingTitle({ assistant: 'sums', request: '{}', startedAt: 'no time' })).toBe('sums')
})

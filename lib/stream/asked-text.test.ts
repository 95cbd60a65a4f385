import { expect, test } from 'vitest'
import { askedText } from './asked-text'

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

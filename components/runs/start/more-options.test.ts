import { expect, test } from 'vitest'
import { moreBody, readMore } from './more-options'
import { NO_MORE } from './start-options'

test('sends only what was set', () => {
  expect(moreBody(NO_MORE)).toEqual({ body: {}, issues: [] })
  expect(
    moreBody({
      interruptBefore: ' agent, tools ,',
      interruptAfter: '*',
      recursionLimit: '12',
      tags: 'a,b',
      metadata: '{"order":12345678901234567890}',
      webhook: ' https://a.example/hook ',
      durability: 'sync',
    }),
  ).toMatchObject({
    body: {
      interrupt_before: ['agent', 'tools'],
      interrupt_after: '*',
      config: { tags: ['a', 'b'], recursion_limit: 12 },
      metadata: { order: expect.objectContaining({ value: '12345678901234567890' }) },
      webhook: 'https://a.example/hook',
      durability: 'sync',
    },
    issues: [],
  })
})

test.each([
  ['recursionLimit', '0'],
  ['recursionLimit', '1.5'],
  ['metadata', '[]'],
  ['metadata', '{'],
])('%s %s is an issue and is not sent', (key, value) => {
  const { body, issues } = moreBody({ ...NO_MORE, [key]: value })
  expect(body).toEqual({})
  expect(issues).toMatchObject([{ field: 'more' }])
})

test('reads what a template stored, and nothing else', () => {
  expect(readMore({ tags: 'a', webhook: 3, other: 'x' })).toEqual({ ...NO_MORE, tags: 'a' })
  expect(readMore('x')).toEqual(NO_MORE)
})

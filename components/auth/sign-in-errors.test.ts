import { expect, test } from 'vitest'
import { signInErrorText } from './sign-in-errors'

test.each(['__proto__', 'constructor', 'toString', '', 'x:y'])(
  'the unknown code %j gets the general sentence',
  (code) => {
    expect(signInErrorText(code)).toBe('Sign-in failed. Try again.')
  },
)

test('the minutes until the next attempt are rounded up', () => {
  expect(signInErrorText('RateLimited:61')).toBe('Too many attempts. Try again in 2 minutes.')
  expect(signInErrorText('RateLimited:x')).toBe('Too many attempts. Try again in 1 minute.')
})

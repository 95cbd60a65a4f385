import { expect, test } from 'vitest'
import { noneFailing } from './fleet-summary'

const counts = { ok: 2, failing: 0, progress: 0, unknown: 0 }

test.each([
  ['No deployment is failing.', { counts, isCut: false }],
  ['No deployment is known to fail.', { counts: { ...counts, unknown: 1 }, isCut: false }],
  ['None of the first 1,000 deployments is known to fail.', { counts, isCut: true }],
])('%s', (text, health) => {
  expect(noneFailing(health, true)).toBe(text)
})

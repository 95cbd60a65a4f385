import { expect, test } from '@playwright/test'
import { fuzzSse } from './support/fuzz-sse'

// `node scripts/checks/fuzz-sse.mjs` does the same 20,000 times.
test('our parser of event streams hears what the browser’s own hears', async ({ page }) => {
  const { events, differences } = await fuzzSse(page, { count: 1000, seed: 1 })
  expect(differences.slice(0, 3)).toEqual([])
  expect(events).toBeGreaterThan(1000)
})

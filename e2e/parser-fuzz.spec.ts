import { expect, test } from '@playwright/test'
import { fuzzSse } from './support/fuzz-sse'

// `node scripts/checks/fuzz/fuzz-sse.mjs` repeats this 20,000 times.
test("our event stream parser agrees with the browser's", async ({ page }) => {
  const { events, differences } = await fuzzSse(page, { count: 1000, seed: 1 })
  expect(differences.slice(0, 3)).toEqual([])
  expect(events).toBeGreaterThan(1000)
})

import { expect, test } from 'vitest'
import { createLimiter } from './limiter'

const limit = { key: 'a', max: 3, windowMs: 60_000 }

test('attempts beyond the limit are refused with the time until the oldest expires', () => {
  let now = 0
  const limiter = createLimiter(() => now)
  for (const at of [0, 10_000, 20_000]) {
    now = at
    expect(limiter.take([limit]).isAllowed).toBe(true)
  }
  now = 30_000
  expect(limiter.take([limit])).toEqual({ isAllowed: false, retryAfterMs: 30_000 })
  now = 60_000
  expect(limiter.take([limit]).isAllowed).toBe(true)
  expect(limiter.take([limit])).toEqual({ isAllowed: false, retryAfterMs: 10_000 })
})

test('an attempt counts before its result is known, so concurrent attempts cannot all pass', () => {
  const limiter = createLimiter(() => 0)
  const taken = Array.from({ length: 10 }, () => limiter.take([limit]))
  expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(3)
})

test('a successful attempt no longer counts, but failed ones still do', () => {
  const limiter = createLimiter(() => 0)
  for (let round = 0; round < 20; round += 1) {
    const attempt = limiter.take([limit])
    expect(attempt.isAllowed).toBe(true)
    if (attempt.isAllowed) attempt.forgive()
  }
  limiter.take([limit])
  limiter.take([limit])
  const good = limiter.take([limit])
  if (good.isAllowed) good.forgive()
  expect(limiter.take([limit]).isAllowed).toBe(true)
  expect(limiter.take([limit]).isAllowed).toBe(false)
})

test('a success takes its own attempt back, not the oldest', () => {
  let now = 0
  const limiter = createLimiter(() => now)
  limiter.take([limit])
  now = 10_000
  const good = limiter.take([limit])
  limiter.take([limit])
  if (good.isAllowed) good.forgive()
  expect(limiter.take([limit]).isAllowed).toBe(true)
  expect(limiter.take([limit])).toEqual({ isAllowed: false, retryAfterMs: 50_000 })
  now = 60_000
  expect(limiter.take([limit]).isAllowed).toBe(true)
  expect(limiter.take([limit])).toEqual({ isAllowed: false, retryAfterMs: 10_000 })
})

test('a success that came after its attempt had expired takes no other attempt back', () => {
  let now = 0
  const limiter = createLimiter(() => now)
  const slow = limiter.take([limit])
  now = 60_000
  for (let round = 0; round < 3; round += 1) expect(limiter.take([limit]).isAllowed).toBe(true)
  if (slow.isAllowed) slow.forgive()
  expect(limiter.take([limit]).isAllowed).toBe(false)
})

test('a success whose attempt is long evicted is harmless', () => {
  const limiter = createLimiter(() => 0)
  const slow = limiter.take([limit])
  for (let index = 0; index < 50_000; index += 1) limiter.take([{ ...limit, key: `made-up-${index}` }])
  if (slow.isAllowed) slow.forgive()
  for (let round = 0; round < 3; round += 1) expect(limiter.take([limit]).isAllowed).toBe(true)
  expect(limiter.take([limit]).isAllowed).toBe(false)
})

test('the wait is that of the limit with room last, and at least a second', () => {
  let now = 0
  const limiter = createLimiter(() => now)
  const short = { key: 'short', max: 1, windowMs: 1_000 }
  const long = { key: 'long', max: 1, windowMs: 60_000 }
  limiter.take([short, long])
  now = 900
  expect(limiter.take([short])).toEqual({ isAllowed: false, retryAfterMs: 1_000 })
  expect(limiter.take([long, short])).toEqual({ isAllowed: false, retryAfterMs: 59_100 })
  now = 1_000
  expect(limiter.take([short]).isAllowed).toBe(true)
})

test('a refused attempt does not count against any limit', () => {
  const limiter = createLimiter(() => 0)
  const tight = { key: 'tight', max: 1, windowMs: 60_000 }
  limiter.take([tight])
  for (let round = 0; round < 10; round += 1) expect(limiter.take([limit, tight]).isAllowed).toBe(false)
  for (let round = 0; round < 3; round += 1) expect(limiter.take([limit]).isAllowed).toBe(true)
})

test('invented names cannot grow its memory without bound', () => {
  const limiter = createLimiter(() => 0)
  limiter.take([{ ...limit, max: 1 }])
  for (let index = 0; index < 50_001; index += 1) limiter.take([{ key: `made-up-${index}`, max: 5, windowMs: 60_000 }])
  expect(limiter.take([{ ...limit, key: 'made-up-1', max: 1 }]).isAllowed).toBe(false) // one of the latest 50,000
  expect(limiter.take([{ ...limit, max: 1 }]).isAllowed).toBe(true) // evicted as the least recently used
})

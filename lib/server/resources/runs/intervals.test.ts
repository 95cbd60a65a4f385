import { expect, test } from 'vitest'
import { intervalOf, intervalsOf } from './intervals'

const at = (time: string) => Date.parse(`2026-11-24T${time}Z`)
const HOUR = 3_600_000

test('intervals begin at round times and cover the span', () => {
  const whole = intervalsOf(at('10:00:00'), at('11:00:00'), 0)
  expect(whole).toEqual({ first: at('10:00:00'), step: 60, counts: 60 })
  const odd = intervalsOf(at('10:00:30'), at('11:00:30'), 0)
  expect(odd).toEqual({ first: at('10:00:00'), step: 60, counts: 61 })
})

test('a time belongs to the interval that begins with it, and a time outside to the nearest', () => {
  const intervals = intervalsOf(at('10:00:00'), at('11:00:00'), 0)
  const place = (time: string) => intervalOf(at(time), intervals)
  expect(['10:00:00', '10:00:59.999', '10:01:00', '10:59:59.999'].map(place)).toEqual([0, 0, 1, 59])
  expect(['09:00:00', '11:00:00', '12:00:00'].map(place)).toEqual([0, 59, 59])
})

test('days begin at midnight of the reader', () => {
  const span = [at('00:00:00') - 40 * 24 * HOUR, at('18:00:00')] as const
  const first = (zone: number) => new Date(intervalsOf(...span, zone).first).toISOString()
  expect(intervalsOf(...span, 0).step).toBe(86_400)
  expect(first(0)).toBe('2026-10-15T00:00:00.000Z')
  // India is 5:30 ahead, so the span begins at 05:30 of a day there; New York was 4 hours behind.
  expect(first(330)).toBe('2026-10-14T18:30:00.000Z')
  expect(first(-240)).toBe('2026-10-14T04:00:00.000Z')
})

test('a span of no length has one interval', () => {
  for (const until of [at('10:00:00'), at('09:00:00')])
    expect(intervalsOf(at('10:00:00'), until, 0)).toEqual({ first: at('10:00:00'), step: 1, counts: 1 })
})

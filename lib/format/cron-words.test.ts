import { expect, test } from 'vitest'
import { scheduleWords } from './cron-words'

test.each([
  ['0 9 * * 1-5', 'At 09:00, Monday through Friday'],
  [' */5  * * * * ', 'Every 5 minutes'],
  ['30 18 L * *', 'At 18:30, on the last day of the month'],
  ['0 12 1 * 1', 'At 12:00, on day 1 of the month, or on Monday'],
  ['0 9 * * MON,WED', 'At 09:00, only on Monday and Wednesday'],
  ['61 * * * *', undefined],
  ['x y z a b', undefined],
  ['0 0 9 * * *', undefined],
])('%s is %s in words', (schedule, words) => {
  expect(scheduleWords(schedule)).toBe(words)
})

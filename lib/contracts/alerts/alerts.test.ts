import { expect, test } from 'vitest'
import { ALERT_FIELDS, ALERT_KINDS, type AlertKind, type AlertSettings, describeRule } from './alerts'

test.each<[AlertKind, AlertSettings, string]>([
  ['unhealthy', { minutes: 7 }, 'failing for at least 7 min'],
  ['unhealthy', { minutes: 0 }, 'failing'],
  ['unhealthy', {}, 'failing for at least 5 min'],
  ['failed_revision', {}, 'the latest build or roll-out failed'],
  ['error_rate', { percent: 20, window: 30, runs: 1 }, 'more than 20 % failed over 30 min, with at least 1 run'],
  ['error_rate', {}, 'more than 10 % failed over 15 min, with at least 10 runs'],
  ['latency', { seconds: 0.5, window: 60, runs: 2 }, 'p95 above 0.5 s over 60 min, with at least 2 runs'],
  ['latency', {}, 'p95 above 30 s over 15 min, with at least 10 runs'],
  ['waiting', { minutes: 60 }, 'waiting for input for at least 60 min'],
  ['waiting', { minutes: 0 }, 'waiting for input'],
  ['cron_failed', {}, 'the last run of a cron failed'],
  ['unreachable', { minutes: 2 }, 'not reachable for at least 2 min'],
])('a rule of kind %s with %j is described in words', (kind, settings, words) => {
  expect(describeRule({ kind, settings })).toBe(words)
})

test('a rule is described by the fields that its form has, and by no other', () => {
  for (const [kind, { fields }] of Object.entries(ALERT_KINDS) as [AlertKind, { fields: readonly string[] }][])
    for (const field of Object.keys(ALERT_FIELDS)) {
      const isNamed = describeRule({ kind, settings: { [field]: 77 } }).includes('77')
      expect([kind, field, isNamed]).toEqual([kind, field, fields.includes(field)])
    }
})

test('the usual value of a field is within its limits', () => {
  for (const { min, max, usual } of Object.values(ALERT_FIELDS)) {
    expect(usual).toBeGreaterThanOrEqual(min)
    expect(usual).toBeLessThanOrEqual(max)
  }
})

import { expect, test } from 'vitest'
import type { RecordingSummary } from '@/lib/stream/log'
import { nameBeside } from './compare-runs'

const run = (change: Partial<RecordingSummary>) =>
  ({ id: 'aaaaaaaa-0000', assistant: 'agent', startedAt: '2026-11-28T10:20:30.400Z', ...change }) as RecordingSummary

test('a run is named by its graph and start beside another one, and by its id where these are the same', () => {
  const [one, other] = [run({}), run({ id: 'bbbbbbbb-0000', startedAt: '2026-11-28T10:20:31.000Z' })]
  expect(nameBeside(one, other)).toBe('agent, 2026-11-28 10:20:30 UTC')
  const twin = run({ id: 'bbbbbbbb-0000' })
  expect([nameBeside(one, twin), nameBeside(twin, one)]).toEqual([
    'agent, 2026-11-28 10:20:30 UTC, aaaaaaaa',
    'agent, 2026-11-28 10:20:30 UTC, bbbbbbbb',
  ])
  const named = run({ assistant: '12345678-1234-4123-8123-123456789abc' })
  expect(nameBeside(named, other)).toBe('Run aaaaaaaa, 2026-11-28 10:20:30 UTC')
})

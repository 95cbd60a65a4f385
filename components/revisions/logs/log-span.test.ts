import { expect, test } from 'vitest'
import { logSpan } from './log-span'

const NOW = Date.parse('2026-11-24T05:10:42.500Z')
const spanOf = (query: string) => logSpan(new URLSearchParams(query), NOW)

test.each([
  ['', { from: '2026-11-23T05:10:00.000Z', label: 'Last 24 hours' }],
  ['since=1h', { from: '2026-11-24T04:10:00.000Z', label: 'Last hour' }],
  ['since=all', { label: 'All times' }],
  ['since=never', { from: '2026-11-23T05:10:00.000Z', label: 'Last 24 hours' }],
  ['from=2026-11-20T10:00Z', { from: '2026-11-20T10:00:00.000Z', label: 'Since the chosen time' }],
  [
    'from=2026-11-20T10:00Z&to=2026-11-20T11:00Z',
    { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T11:00:00.000Z', label: 'The chosen time' },
  ],
  ['from=2026-11-20T10:00Z&to=2026-11-19T11:00Z', { from: '2026-11-20T10:00:00.000Z', label: 'Since the chosen time' }],
  ['from=soon', { from: '2026-11-23T05:10:00.000Z', label: 'Last 24 hours' }],
])('the span of "%s"', (query, expected) => {
  expect(spanOf(query)).toEqual(expected)
})

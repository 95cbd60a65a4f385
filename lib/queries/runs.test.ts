import { describe, expect, it } from 'vitest'
import type { RunRow, RunRowsPage } from '@/lib/contracts/agents/run-row'
import { keepElsewhere } from './runs'

const row = (id: string, minute: number, recording: string | null = null) =>
  ({ id, run: id, recording, startedAt: `2026-11-23T10:0${minute}:00Z` }) as RunRow
const page = (rows: RunRow[], isPending = false): RunRowsPage => ({
  rows,
  next: null,
  looked: { threads: 1, deployments: 1, isBusyOnly: true, isPartial: false, isPending, problems: [] },
})
const ids = ({ rows }: RunRowsPage) => rows.map(({ id }) => id)

describe('runs started elsewhere', () => {
  const before = page([row('c', 3), row('b', 2, 'recorded'), row('a', 1)])

  it('stay while their servers have not responded, and are marked as read before', () => {
    const now = keepElsewhere(before, page([row('d', 4, 'recorded'), row('b', 2, 'recorded')], true), 3)
    expect(ids(now)).toEqual(['d', 'c', 'b'])
    expect(now.looked?.isKept).toBe(true)
  })
  it('are not listed twice when they have a recording by now', () => {
    expect(ids(keepElsewhere(before, page([row('c', 3, 'recorded')], true), 3))).toEqual(['c', 'a'])
  })
  it('leave when the servers respond without them', () => {
    expect(ids(keepElsewhere(before, page([row('b', 2, 'recorded')]), 3))).toEqual(['b'])
  })
  it('need an earlier page', () => {
    expect(ids(keepElsewhere(undefined, page([], true), 3))).toEqual([])
  })
})

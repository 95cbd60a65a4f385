import { expect, test } from 'vitest'
import type { Looked, RunHistogram } from '@/lib/contracts/agents/run-row'
import { histogramChart, histogramNotes, spanOfBars } from './histogram-model'

const first = Date.parse('2026-11-24T10:00:00Z')
const MINUTE = 60_000
const looked: Looked = {
  ...{ threads: 3, deployments: 1, isBusyOnly: false, isPartial: false, isPending: false, problems: [] },
}
const histogram = (change: Partial<RunHistogram> = {}): RunHistogram => ({
  ...{ since: first + 10_000, until: first + 2.5 * MINUTE, first, step: 60, elsewhere: 0, looked },
  counts: [{ success: 4, failed: 1 }, {}, { failed: 2, unknown: 1 }],
  ...change,
})

test('failed runs are at the bottom of the bars, and only what happened has a series', () => {
  const { times, total, chart } = histogramChart(histogram())
  expect(times).toHaveLength(3)
  expect([total, chart.total]).toEqual([8, '8 runs, 3 failed'])
  expect(chart.series.map(({ label, values }) => [label, values])).toEqual([
    ['Failed', [1, null, 2]],
    ['Finished', [4, null, 0]],
    ['Unknown', [0, null, 1]],
  ])
  expect(histogramChart(histogram({ counts: [{ success: 1 }] })).chart.total).toBe('1 run')
  expect(histogramChart(histogram({ counts: [{}] }))).toMatchObject({ total: 0, chart: { series: [] } })
})

test('the chosen bars give the filters of the list, within the span that was asked for', () => {
  expect(spanOfBars(histogram(), 0, 0)).toEqual({ since: '2026-11-24T10:00:10Z', until: '2026-11-24T10:01:00Z' })
  expect(spanOfBars(histogram(), 1, 2)).toEqual({ since: '2026-11-24T10:01:00Z', until: '2026-11-24T10:02:30Z' })
  expect(spanOfBars(histogram({ until: null }), 1, 2)).toEqual({ since: '2026-11-24T10:01:00Z', until: '' })
  const odd = histogram({ since: first + 1 })
  expect(spanOfBars(odd, 0, 0).since).toBe('2026-11-24T10:00:00.001Z')
})

test('says when runs without a recording are not all counted', () => {
  const told = (change: Partial<Looked> | null) => {
    const one = histogram({ looked: change && { ...looked, ...change } })
    return [histogramChart(one).chart.total, ...histogramNotes(one, false)]
  }
  const exact = ['8 runs, 3 failed']
  const far = ['At least 8 runs, 3 failed', expect.stringContaining('as far as the notes on the list say')]
  expect(told(null)).toEqual(exact)
  expect(told({})).toEqual(exact)
  expect(told({ isPartial: true })).toEqual(far)
  expect(told({ isBusyOnly: true })).toEqual(far)
  expect(told({ problems: [{ deployment: 'd', message: 'down' }] })).toEqual(far)
  expect(told({ isPending: true })[1]).toContain('still being counted')
  const traced = { deployments: 1, isPartial: false }
  expect(told({ isPartial: true, traced })).toEqual(exact)
  expect(told({ isBusyOnly: true, deployments: 2, traced })).toEqual(far)
  const cut = { ...traced, isPartial: true, since: new Date(2026, 10, 24, 9, 5).toISOString() }
  expect(told({ traced: cut })[1]).toBe('Runs without a recording are counted since Nov 24, 09:05 only.')
})

test('says that there are no runs only where all were counted', () => {
  const empty = (change: Partial<Looked>) =>
    histogramNotes(histogram({ counts: [{}, { failed: 0 }], looked: { ...looked, ...change } }), false).at(-1)
  expect(empty({})).toBe('No runs in this period.')
  expect(empty({ isPending: true })).toBe('No runs known in this period.')
  expect(empty({ problems: [{ deployment: 'd', message: 'down' }] })).toBe('No runs known in this period.')
})

test('names the span where the reader chose none', () => {
  expect(histogramNotes(histogram({ until: null }), true)).toEqual(['The chart shows the last 7 days.'])
  expect(histogramNotes(histogram(), true)[0]).toMatch(/^The chart shows the 7 days before Nov 24, /)
})

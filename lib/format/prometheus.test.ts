import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { type MetricFamily, parseMetrics, pointOf } from './prometheus'

test('reads the usual format, including unusual labels', async () => {
  const registers = [new Registry()]
  new Counter({ name: 'runs_total', help: 'All\nruns \\ so far', labelNames: ['status'], registers }).inc(
    { status: 'a "quoted", {odd} \\ one\n' },
    3,
  )
  new Gauge({ name: 'queue', help: 'q', registers }).set(2.5)
  const histogram = new Histogram({ name: 'took_seconds', help: 't', buckets: [1, 2], registers })
  histogram.observe(1.5)
  histogram.observe(0.5)
  const families = parseMetrics(await (registers[0] as Registry).metrics())
  expect(families).toEqual([
    {
      name: 'runs_total',
      type: 'counter',
      help: 'All\nruns \\ so far',
      samples: [{ labels: { status: 'a "quoted", {odd} \\ one\n' }, value: 3 }],
    },
    { name: 'queue', type: 'gauge', help: 'q', samples: [{ labels: {}, value: 2.5 }] },
    {
      name: 'took_seconds',
      type: 'histogram',
      help: 't',
      samples: [
        { labels: { part: 'sum' }, value: 2 },
        { labels: { part: 'count' }, value: 2 },
      ],
    },
  ])
})

test('omits unreadable lines, and accepts timestamps, infinities and names without a type', () => {
  const text = '# a remark\nodd{ 1\nbare 1e3 1712345678\nlow -Inf\nnot_a_number NaN\n\nrequest_count 4\n# EOF'
  expect(parseMetrics(text).map(({ name, samples }) => [name, samples[0]?.value])).toEqual([
    ['bare', 1000],
    ['low', -Infinity],
    ['request_count', 4],
  ])
})

const family = (type: string, ...samples: [number, string?][]): MetricFamily => ({
  name: 'x',
  type,
  help: '',
  samples: samples.map(([value, part]) => ({ labels: part ? ({ part } as Record<string, string>) : {}, value })),
})

test('counters are charted per second, distributions by their mean, gauges as they are', () => {
  expect(pointOf(family('counter', [30], [10]), family('counter', [15], [5]), 5)).toBe(4)
  expect(pointOf(family('counter', [10]), undefined, 5)).toBeUndefined()
  expect(pointOf(family('counter', [10]), family('counter', [500]), 5)).toBe(2)
  const now = family('histogram', [9, 'sum'], [4, 'count'])
  expect(pointOf(now, family('histogram', [3, 'sum'], [1, 'count']), 5)).toBe(2)
  expect(pointOf(now, now, 5)).toBeUndefined()
  expect(pointOf(family('gauge', [1], [2]), undefined, 0)).toBe(3)
})

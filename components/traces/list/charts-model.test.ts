import { expect, test } from 'vitest'
import { readSpan } from '@/components/traces/common/span'
import type { ModelUsage } from '@/lib/contracts/traces/trace-run'
import { type Price, PriceBook } from '@/lib/traces/cost'
import { chartsOf } from './charts-model'

const span = readSpan(new URLSearchParams('from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:10Z'), 0)
const bucket = (second: number, total_cost?: string) => ({ start_time: `2026-01-01T00:00:0${second}.000Z`, total_cost })
const usage = (second: number, model: string, run_count: number): ModelUsage & { start_time: string } => ({
  ...{ model, provider: 'p', day: '2026-01-01', run_count, prompt_tokens: 1e6, completion_tokens: 0 },
  ...{ cache_read_tokens: 0, reasoning_tokens: 0, start_time: bucket(second).start_time },
})
const price: Price = {
  ...{ model: 'm', provider: null, input: 2, output: 1, cachedInput: null, reasoning: null, validFrom: null },
  ...{ cacheWrite: null, cacheWrite1h: null },
}
const models = { buckets: [bucket(1, '0.5'), bucket(2), bucket(3)], total_cost: '0.5' }
const model_usage = [usage(1, 'm', 1), usage(2, 'm', 1), usage(3, 'other', 2)]
const costs = (given: Parameters<typeof chartsOf>[2], prices?: Price[]) =>
  chartsOf(span, {}, given, prices && new PriceBook(prices)).charts.find(({ title }) => title === 'Cost')

test('the cost adds logged costs and costs from prices, and counts calls without a price', () => {
  const chart = costs({ ...models, model_usage }, [price])
  expect(chart?.total).toBe('≈$4.50, 2 unpriced')
  expect(chart?.note).toBe(
    'Partly logged, the rest estimated from this workspace’s price of m; 2 calls without a price: no price for other',
  )
  expect(chart?.series[0]?.values.slice(1, 4)).toEqual([2.5, 2, null])
})

test('the cost includes tools and names their share', () => {
  const other_costs = [{ start_time: bucket(2).start_time, run_count: 3, total_cost: '0.25' }]
  const chart = costs({ ...models, model_usage: [], other_costs }, [])
  expect([chart?.total, chart?.note]).toEqual(['$0.75', '$0.25 of it by tools and retrievers'])
  expect(chart?.series[0]?.values.slice(1, 3)).toEqual([0.5, 0.25])
  expect(costs({ ...models, total_cost: null, model_usage: [], other_costs }, [])?.total).toBe('$0.25')
})

test('reports the metrics that a server cannot provide', () => {
  const gaps = (whole: Parameters<typeof chartsOf>[1], given: Parameters<typeof chartsOf>[2]) =>
    chartsOf(span, whole, given, undefined).gaps
  expect(gaps({ buckets: [] }, { ...models, model_usage: [], total_tokens: 5 })).toEqual([])
  const hosted = gaps({ run_count: 3 }, { total_tokens: 5, total_cost: '0.5' })
  expect(hosted).toEqual([expect.stringContaining('no figures over time'), expect.stringContaining('Costs cover only')])
})

test('an unknown cost has no chart, instead of zeros', () => {
  expect(costs({ ...models, total_cost: '0', model_usage: [] }, [])).toBeUndefined()
  expect(costs({ ...models, total_cost: null, model_usage })).toBeUndefined()
  expect(costs({ ...models, total_cost: null, model_usage }, [])?.total).toBe('4 unpriced')
  expect(costs(models, [])?.total).toBe('$0.5')
})

test('a cost below a millionth of a dollar is no number with an exponent', () => {
  expect(costs({ ...models, total_cost: '0.00000012', model_usage: [] }, [])?.total).toBe('<$0.000001')
})

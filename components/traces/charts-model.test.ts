import { expect, test } from 'vitest'
import type { ModelUsage } from '@/lib/contracts/trace-runs'
import { type Price, PriceBook } from '@/lib/traces/cost'
import { chartsOf } from './charts-model'
import { readSpan } from './span'

const span = readSpan(new URLSearchParams('from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:10Z'), 0)
const bucket = (second: number, total_cost?: string) => ({ start_time: `2026-01-01T00:00:0${second}.000Z`, total_cost })
const usage = (second: number, model: string, run_count: number): ModelUsage & { start_time: string } => ({
  ...{ model, provider: 'p', day: '2026-01-01', run_count, prompt_tokens: 1e6, completion_tokens: 0 },
  ...{ cache_read_tokens: 0, reasoning_tokens: 0, start_time: bucket(second).start_time },
})
const price: Price = {
  ...{ model: 'm', provider: null, input: 2, output: 1, cachedInput: null, reasoning: null, validFrom: null },
}
const models = { buckets: [bucket(1, '0.5'), bucket(2), bucket(3)], total_cost: '0.5' }
const model_usage = [usage(1, 'm', 1), usage(2, 'm', 1), usage(3, 'other', 2)]
const costs = (given: Parameters<typeof chartsOf>[2], prices?: Price[]) =>
  chartsOf(span, {}, given, prices && new PriceBook(prices)).charts.find(({ title }) => title === 'Cost')

test('cost is what was logged and what the prices say, with how many calls have none', () => {
  const chart = costs({ ...models, model_usage }, [price])
  expect(chart?.total).toBe('$4.50, 2 unpriced')
  expect(chart?.note).toBe('2 calls without a price: no price for other')
  expect(chart?.series[0]?.values.slice(1, 4)).toEqual([2.5, 2, null])
})

test('nothing known of a cost is no chart of zeros', () => {
  expect(costs({ ...models, total_cost: '0', model_usage: [] }, [])).toBeUndefined()
  expect(costs({ ...models, total_cost: null, model_usage })).toBeUndefined()
  expect(costs({ ...models, total_cost: null, model_usage }, [])?.total).toBe('4 unpriced')
  expect(costs(models, [])?.total).toBe('$0.5')
})

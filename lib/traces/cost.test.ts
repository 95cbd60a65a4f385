import { describe, expect, test } from 'vitest'
import { loggedCost, type ModelCalls, NO_COST, PriceBook, type StoredPrice } from './cost'
import { readUsage } from './facts'

const price = (model: string, more: Partial<StoredPrice> = {}): StoredPrice => ({
  ...{ id: '', model, provider: null, input: 2, output: 8, cachedInput: null, reasoning: null, validFrom: null },
  ...{ cacheWrite: null, cacheWrite1h: null },
  ...more,
})
const calls = (model: string | null, more: Partial<ModelCalls> = {}): ModelCalls => ({
  ...{ model, provider: 'openai', day: '2026-06-01', run_count: 1, prompt_tokens: 1e6, completion_tokens: 5e5 },
  ...{ cache_read_tokens: 0, reasoning_tokens: 0, ...more },
})

describe('a cost', () => {
  test('follows from the price, each part by its own, and no part exceeds the whole', () => {
    const book = new PriceBook([price('gpt-*', { cachedInput: 0.5, reasoning: 10 })])
    const parts = { cache_read_tokens: 4e5, reasoning_tokens: 9e9 }
    expect(book.costOf(null, [calls('GPT-5')]).total).toBe(6)
    expect(book.costOf(null, [calls('gpt-5', parts)]).total).toBe(0.6 * 2 + 0.4 * 0.5 + 0.5 * 10)
    expect(new PriceBook([price('gpt-*')]).costOf('0.25', [calls('gpt-5', parts)]).total).toBe(6.25)
  })

  test('is unknown without a price, never zero, and names the models', () => {
    const book = new PriceBook([price('gpt-5', { provider: 'OpenAI' }), price('free', { input: 0, output: 0 })])
    expect(book.costOf(null, [])).toEqual(NO_COST)
    expect(book.costOf(null, [calls('other', { run_count: 3 }), calls(null)])).toEqual({
      ...{ ...NO_COST, unpriced: 4, unpricedModels: ['other', 'a model without a name'] },
    })
    expect(book.costOf(null, [calls('gpt-5', { provider: 'azure' })]).total).toBeNull()
    expect(book.costOf(null, [calls('gpt-5')]).total).toBe(6)
    expect(book.costOf(null, [calls('free')])).toMatchObject({ total: 0, unpriced: 0 })
  })

  test('of writing to the cache is 1.25 times that of input, and twice for an hour', () => {
    const parts = { cache_read_tokens: 4e5, cache_write_tokens: 3e5, cache_write_1h_tokens: 1e5 }
    const book = new PriceBook([price('claude-*', { cachedInput: 0.2 })])
    const input = 0.4 * 0.2 + 0.2 * 2 * 1.25 + 0.1 * 2 * 2 + 0.3 * 2
    expect(book.costOf(null, [calls('claude-4', parts)]).total).toBeCloseTo(input + 0.5 * 8, 12)
    const own = new PriceBook([price('claude-*', { cachedInput: 0.2, cacheWrite: 3, cacheWrite1h: 7 })])
    const ofOwn = 0.4 * 0.2 + 0.2 * 3 + 0.1 * 7 + 0.3 * 2
    expect(own.costOf(null, [calls('claude-4', parts)]).total).toBeCloseTo(ofOwn + 0.5 * 8, 12)
  })

  test('finds the price of a provider by every name that SDKs have for it', () => {
    const book = new PriceBook([price('gemini-*', { provider: 'Google' })])
    for (const provider of ['google_genai', 'google_vertexai', 'vertexai', 'google', 'google.generative-ai'])
      expect(book.costOf(null, [calls('gemini-2.5-pro', { provider })]).total).toBe(6)
    expect(book.costOf(null, [calls('gemini-2.5-pro', { provider: 'openai' })]).total).toBeNull()
  })

  test('says what it was estimated from, and a price of the workspace wins over every shipped one', () => {
    const shipped = price('gpt-5', {
      provider: 'openai',
      source: { url: 'https://prices.test', checked: '2026-01-01' },
    })
    const cost = new PriceBook([shipped]).costOf('1', [calls('gpt-5')])
    expect(cost).toMatchObject({ total: 7, isLogged: true })
    expect(cost.estimates).toEqual(['the shipped price of gpt-5 (openai), checked 2026-01-01'])
    const both = new PriceBook([shipped, price('gpt-*', { input: 1, output: 0 })])
    expect(both.costOf(null, [calls('gpt-5')])).toMatchObject({ total: 1, isLogged: false })
    expect(both.costOf(null, [calls('gpt-5')]).estimates).toEqual(['this workspace’s price of gpt-*'])
    expect(both.costOf('1', []).estimates).toEqual([])
  })

  test('of a call without a provider follows from the price of the maker, but not from a price for one provider', () => {
    const source = { url: 'https://prices.test', checked: '2026-01-01' }
    const nameless = calls('models/gemini-2.5-pro', { provider: null })
    const maker = price('gemini-2.5-pro', { provider: 'google', source })
    expect(new PriceBook([maker]).costOf(null, [nameless]).total).toBe(6)
    expect(new PriceBook([price('gemini-2.5-pro', { provider: 'google' })]).costOf(null, [nameless]).total).toBeNull()
  })

  test('that was logged is used as it is', () => {
    expect(loggedCost(readUsage({ input_tokens: 1, total_cost: '0.25' }))?.total).toBe(0.25)
    expect(loggedCost(readUsage({ input_cost: 0.1, output_cost: '0.2' }))?.total).toBe(0.3)
    expect(loggedCost(readUsage({ input_tokens: 1 }))).toBeUndefined()
  })
})

describe('the price of a model', () => {
  test.each([
    ['gpt-5', 'gpt-5', true],
    ['gpt-5', 'gpt-5-mini', false],
    ['gpt-5*', 'gpt-5', true],
    ['*mini', 'gpt-5-mini', true],
    ['a*b*c', 'aXbXbc', true],
    ['a*a', 'a', false],
    ['a*ab*b', 'aab', false],
    ['gpt.5', 'gpt-5', false],
    ['(a+)+$', 'aaaa', false],
    ['*', 'anything', true],
  ])('%j fits %j: %j', (pattern, model, isFit) => {
    expect(new PriceBook([price(pattern)]).priceOf(model) !== undefined).toBe(isFit)
  })

  test('is that of the closest name, and among those the newest valid on the day', () => {
    const book = new PriceBook([
      price('*', { input: 1 }),
      price('gpt-*', { input: 2 }),
      price('gpt-5', { input: 3 }),
      price('gpt-5', { input: 4, validFrom: '2026-03-01' }),
      price('gpt-5', { input: 5, provider: 'azure', validFrom: '2026-05-01' }),
    ])
    const of = (model: string, provider: string, day: string | null) => book.priceOf(model, provider, day)?.input
    expect(['2026-02-28', '2026-03-01', null].map((day) => of('gpt-5', 'openai', day))).toEqual([3, 4, 4])
    expect(['2026-04-30', '2026-05-01'].map((day) => of('gpt-5', 'azure', day))).toEqual([4, 5])
    expect([of('gpt-4', 'x', null), of('llama', 'x', null)]).toEqual([2, 1])
  })
})

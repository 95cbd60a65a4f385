import { expect, test } from 'vitest'
import { PriceBook } from '../cost'
import { SHIPPED_PRICES } from './shipped'

test('every shipped price says where it was read and when, and is an amount', () => {
  const wrong = SHIPPED_PRICES.filter(
    ({ source, provider, input, output }) =>
      !provider ||
      !/^https:\/\/[\w.-]+\/\S+$/.test(source?.url ?? '') ||
      !/^20\d\d-\d\d-\d\d$/.test(source?.checked ?? '') ||
      Number.isNaN(Date.parse(source?.checked ?? '')) ||
      [input, output].some((amount) => !(amount >= 0 && amount < 1000)),
  )
  expect(SHIPPED_PRICES.length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})

test('no two shipped prices are for the same model, provider and day', () => {
  const places = SHIPPED_PRICES.map(({ id }) => id)
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([])
})

test.each([
  ['gpt-5', 'openai', '2026-01-01', 1.25],
  ['gpt-5-2025-08-07', 'openai', '2026-01-01', 1.25],
  ['gpt-5-mini-2025-08-07', 'openai', '2026-01-01', 0.25],
  ['claude-sonnet-4-5-20250929', 'anthropic', '2026-01-01', 3],
  ['claude-sonnet-5', 'anthropic', '2026-08-31', 2],
  ['claude-sonnet-5', 'anthropic', '2026-09-01', 3],
  ['models/gemini-2.5-flash', 'google_genai', '2026-01-01', 0.3],
  ['gemini-2.5-flash-lite', 'google_vertexai', '2026-01-01', 0.1],
  ['gpt-5', 'azure', '2026-01-01', undefined],
  ['gpt-7', 'openai', '2026-01-01', undefined],
])('%s of %s on %s costs %s per million tokens of input', (model, provider, day, input) => {
  expect(new PriceBook(SHIPPED_PRICES).priceOf(model, provider, day)?.input).toBe(input)
})

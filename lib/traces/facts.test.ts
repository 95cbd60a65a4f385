import { describe, expect, test } from 'vitest'
import { modelOf, providerOf, readUsage, timeOf, timeToFirstToken, usageOf } from './facts'

const tokens = (input: number, output: number) => ({ input_tokens: input, output_tokens: output })

test('the model is looked up in the order of the interface', () => {
  const inputs = { model: 'b', model_name: 'c' }
  expect(modelOf({ inputs, extra: { metadata: { ls_model_name: 'a', ls_provider: 'p' } } })).toBe('a')
  expect(providerOf({ extra: { metadata: { ls_provider: 'p' } } })).toBe('p')
  for (const [name, provider] of [
    ['ChatGoogleGenerativeAI', 'google_genai'],
    ['AzureChatOpenAI', 'azure'],
    ['ChatOpenAI', 'openai'],
    ['my chain', undefined],
  ])
    expect(providerOf({ name, run_type: 'llm' })).toBe(provider)
  expect(providerOf({ name: 'OpenAI answers', run_type: 'chain' })).toBeUndefined()
  const metadata = { ls_integration: 'vercel-ai-sdk' }
  expect(providerOf({ name: 'google.generative-ai', run_type: 'llm', extra: { metadata } })).toBe('google')
  expect(modelOf({ inputs })).toBe('b')
  expect(modelOf({ inputs: { model_name: 'c', model: '' } })).toBe('c')
  expect(modelOf({ inputs: 5, extra: null })).toBeUndefined()
})

describe('usage', () => {
  test.each<[string, object, [number, number, number]]>([
    ['outputs.usage_metadata first', { outputs: { usage_metadata: tokens(1, 2), usage: tokens(9, 9) } }, [1, 2, 3]],
    ['metadata', { extra: { metadata: { usage_metadata: tokens(1, 2) } } }, [1, 2, 3]],
    [
      'metadata whose total alone counts the reasoning',
      { extra: { metadata: { usage_metadata: { ...tokens(1, 2), total_tokens: 5 } } } },
      [1, 4, 5],
    ],
    [
      'a message of the own format',
      { outputs: { messages: [{ role: 'assistant', usage_metadata: tokens(1, 2) }] } },
      [1, 2, 3],
    ],
    [
      'a serialised message',
      { outputs: { generations: [[{ message: { lc: 1, kwargs: { usage_metadata: tokens(4, 5) } } }]] } },
      [4, 5, 9],
    ],
    [
      'several generations',
      {
        outputs: {
          generations: [
            [{ message: { usage_metadata: tokens(1, 1) } }],
            [{ message: { usage_metadata: tokens(2, 2) } }],
          ],
        },
      },
      [3, 3, 6],
    ],
    [
      'chat completions',
      { outputs: { usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 } } },
      [7, 1, 8],
    ],
    [
      'the messages API, whose cached input is not in the count',
      { outputs: { usage: { ...tokens(10, 5), cache_read_input_tokens: 90 } } },
      [100, 5, 105],
    ],
  ])('%s', (_, run, [input, output, total]) => {
    expect(usageOf(run)).toMatchObject({ input, output, total })
  })

  test('is unknown rather than zero', () => {
    for (const value of [undefined, null, {}, { input_tokens: -1 }, { input_tokens: 'many' }, []])
      expect(readUsage(value)).toBeUndefined()
    expect(usageOf({ outputs: { content: 'a' } })).toBeUndefined()
    expect(readUsage({ input_tokens: 0, output_tokens: 0 })).toMatchObject({ input: 0, total: 0 })
  })

  test('details keep the interface’s names', () => {
    expect(
      readUsage({
        prompt_tokens: 5,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 },
      }),
    ).toMatchObject({ inputDetails: { cache_read: 2 }, outputDetails: { reasoning: 1 } })
  })
})

describe('times', () => {
  test('texts with microseconds, texts without a zone, and numbers', () => {
    expect(timeOf('2026-01-01T00:00:00.123456Z')).toBeCloseTo(1767225600123.456, 3)
    expect(timeOf('2026-01-01T00:00:00.5')).toBe(1767225600500)
    expect(timeOf('2026-01-01T01:00:00+01:00')).toBe(1767225600000)
    expect(timeOf(1767225600000)).toBe(1767225600000)
    expect(timeOf('1767225600000')).toBe(1767225600000)
    for (const bad of ['soon', '', null, {}, Number.NaN, 1e300]) expect(timeOf(bad)).toBeUndefined()
  })

  test('the time to first token is that of the first such event; none if the clock went backwards', () => {
    const events = [
      { name: 'start' },
      { name: 'new_token', time: '2026-01-01T00:00:00.250Z' },
      { name: 'new_token', time: 1 },
    ]
    expect(timeToFirstToken({ start_time: '2026-01-01T00:00:00.000000Z', events })).toBe(250)
    expect(timeToFirstToken({ start_time: 1767225600000, events })).toBe(250)
    expect(timeToFirstToken({ start_time: '2026-01-01T00:00:01Z', events })).toBeUndefined()
    expect(timeToFirstToken({ start_time: 0, events: 'none' })).toBeUndefined()
  })
})

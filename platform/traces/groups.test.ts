import { afterAll, beforeAll, expect, test } from 'vitest'
import { PriceBook } from '@/lib/traces/cost'
import { child, createTracesFixture, run, START, type TracesFixture } from './testing'

let traces: TracesFixture
let session: string[]
const roots: ReturnType<typeof run>[] = []

/** A trace with one model call; `n` makes it the n-th in time. */
function logged(n: number, root: object, model: string, provider: string, outputs: object, usage: object) {
  const own = run({ end_time: START + n * 1000 + (n + 1) * 100, ...root }, n * 1000)
  const call = child(
    own,
    {
      ...{ name: 'call', run_type: 'llm', end_time: START + n * 1000 + 50 },
      outputs: { ...outputs, usage_metadata: usage },
      extra: { metadata: { ls_model_name: model, ls_provider: provider } },
    },
    n * 1000 + 1,
  )
  roots.push(own)
  return [own, call]
}

beforeAll(async () => {
  traces = await createTracesFixture()
  const cancelled = 'AbortError: This operation was aborted'
  const written = { cache_creation: 2e5, ephemeral_1h_input_tokens: 1e5, cache_read: 5e5 }
  const post = [
    ...logged(0, { name: 'a', tags: ['x', 'y'] }, 'GPT-5-mini', 'openai', stop('stop'), { input_tokens: 1e6 }),
    ...logged(1, { name: 'a' }, 'gpt-5', 'openai', stop('length'), { input_tokens: 1e6, output_tokens: 1e6 }),
    ...logged(2, { name: 'b', error: 'Refused' }, 'claude-4', 'anthropic', stop('end_turn'), {
      ...{ input_tokens: 1e6, output_tokens: 10, input_token_details: written },
    }),
    ...logged(3, { name: 'b', tags: ['x'], error: cancelled }, 'gpt-5', 'openai', stop('content_filter'), {
      ...{ input_tokens: 10, output_tokens: 10, total_cost: 3 },
    }),
    ...logged(4, { name: 'b' }, 'unpriced', 'openai', {}, { input_tokens: 9e6 }),
  ]
  const [embedding] = [run({ name: 'c', end_time: START + 6_000 }, 5_000)]
  roots.push(embedding)
  post.push(embedding)
  post.push(
    child(
      embedding,
      {
        ...{ name: 'embed', run_type: 'embedding', outputs: { usage_metadata: { input_tokens: 2e6 } } },
        extra: { metadata: { ls_model_name: 'embed-1', ls_provider: 'openai' } },
      },
      5_001,
    ),
  )
  expect((await traces.post('/runs/batch', { post })).status).toBe(202)
  session = [(await traces.project('tests')).id]
}, 60_000)
afterAll(() => traces?.close(), 30_000)

const stop = (reason: string) => ({
  choices: [{ finish_reason: reason, message: { role: 'assistant', content: 'Hi' } }],
})
const found = async (asked: object): Promise<number[]> => {
  const { body } = await traces.post('/runs/query', { session, is_root: true, ...asked })
  return body.runs.map(({ id }: { id: string }) => roots.findIndex((one) => one.id === id)).sort()
}
const totals = async (asked: object) => (await traces.post('/runs/stats', { session, ...asked })).body

test.each([
  ['a part of the model, in any case', 'like(model, "%GPT-5%")', [0, 1, 3]],
  ['provider', 'eq(provider, "anthropic")', [2]],
  ['finish reason', 'eq(finish_reason, "length")', [1]],
  ['the cached share', 'gte(cached_share, 0.5)', [2]],
  ['several, of the same call', 'and(like(model, "%gpt-5%"), eq(finish_reason, "content_filter"))', [3]],
])('traces are found by %s of a call in them', async (_, filter, those) => {
  expect(await found({ tree_filter: `and(eq(run_type, "llm"), ${filter})` })).toEqual(those)
})

const price = {
  provider: 'openai',
  cache_read: 2,
  cache_write: 2,
  cache_write_1h: 2,
  reasoning: 8,
  input: 2,
  output: 8,
}
const claude = { ...price, model: 'claude-4', provider: 'anthropic', cache_read: 1, cache_write: 3, cache_write_1h: 4 }
const prices = [
  { ...price, model: 'GPT-5-mini', valid_from: '2026-01-02', input: 900 },
  { ...price, model: 'GPT-5-mini' },
  { ...price, model: 'gpt-5' },
  claude,
]

test('traces are found by cost: logged or by the first price of their day, and never without a known one', async () => {
  expect(await found({ cost: { prices } })).toEqual([0, 1, 2, 3])
  expect(await found({ cost: { min: 2, max: 2, prices } })).toEqual([0])
  expect(await found({ cost: { min: 3, prices } })).toEqual([1, 3])
  expect(await found({ cost: { prices: [] } })).toEqual([3])
  const { runs } = (await traces.post('/runs/query', { session, run_type: 'llm', cost: { min: 9, prices } })).body
  expect(runs).toHaveLength(1)
  const upTo = { max: 2.5, prices }
  expect((await totals({ is_root: true, cost: upTo })).run_count).toBe(2)
  expect((await totals({ is_model: true, cost: { ...upTo, is_of_trace: true } })).total_tokens).toBe(2_000_010)
})

test('a cost in the filter is the one that pages show', async () => {
  const { runs } = (await traces.post('/runs/query', { session, is_root: true })).body
  const shown = runs.find(({ id }: { id: string }) => id === roots[2]?.id).model_usage
  const book = new PriceBook([
    { ...{ ...claude, validFrom: null, cachedInput: 1, cacheWrite: 3, cacheWrite1h: 4 }, model: 'claude-4' },
  ])
  const { total } = book.costOf(null, shown)
  expect(shown).toMatchObject([{ cache_write_tokens: 2e5, cache_write_1h_tokens: 1e5, cache_read_tokens: 5e5 }])
  expect(total).toBeCloseTo(0.5 * 1 + 0.1 * 3 + 0.1 * 4 + 0.3 * 2 + 8e-5, 9)
  expect(await found({ cost: { min: Number(total) - 1e-6, max: Number(total) + 1e-6, prices } })).toEqual([2])
})

test('groups have their errors, latencies, tokens and costs', async () => {
  const byName = (await totals({ is_root: true, group_by: 'name' })).groups
  expect(
    byName.map(({ key, run_count, error_count }: Record<string, unknown>) => [key, run_count, error_count]),
  ).toEqual([
    ['b', 3, 1],
    ['a', 2, 0],
    ['c', 1, 0],
  ])
  expect(byName[0]).toMatchObject({
    latency_p50: 0.399999,
    error_rate: 1 / 3,
    total_cost: '3',
    total_tokens: 10_000_030,
  })
  expect(byName[0].model_usage.map(({ model }: { model: string }) => model).sort()).toEqual(['claude-4', 'unpriced'])
  expect(byName[1].latency_p95).toBeCloseTo(0.195, 3)
  const byTag = (await totals({ is_root: true, group_by: 'tag' })).groups
  expect(byTag.map(({ key, run_count }: Record<string, unknown>) => [key, run_count])).toEqual([
    [null, 4],
    ['x', 2],
    ['y', 1],
  ])
  const byModel = await totals({ run_type: 'llm', trace_filter: 'eq(name, "b")', group_by: 'model' })
  expect(byModel.groups.map(({ key, total_cost }: Record<string, unknown>) => [key, total_cost])).toEqual([
    ['claude-4', null],
    ['gpt-5', '3'],
    ['unpriced', null],
  ])
  expect(byModel.group_count).toBe(3)
})

test('a cancelled run is not counted as failed, and is called cancelled', async () => {
  expect(await totals({ is_root: true })).toMatchObject({ run_count: 6, error_count: 1 })
  expect(await found({ filter: 'eq(status, "cancelled")' })).toEqual([3])
  expect(await found({ filter: 'eq(status, "error")' })).toEqual([2])
})

test('embeddings count as model calls, with their tokens', async () => {
  const { runs } = (await traces.post('/runs/query', { session, is_root: true, id: [roots[5]?.id] })).body
  expect(runs[0]).toMatchObject({ total_tokens: 2e6, model: 'embed-1', model_usage: [{ prompt_tokens: 2e6 }] })
})

test('filters can be filled with what was logged', async () => {
  const { facets } = await totals({ facets: true })
  expect(facets.model).toContainEqual({ value: 'gpt-5', provider: 'openai', count: 2 })
  expect(facets.provider.map(({ value }: { value: string }) => value)).toEqual(['openai', 'anthropic'])
  expect(facets.finish_reason.map(({ value }: { value: string }) => value).sort()).toEqual(
    ['content_filter', 'length', 'stop'].sort(),
  )
  expect(facets.name.map(({ value }: { value: string }) => value)).toEqual(['b', 'a', 'c'])
  expect(facets.tag).toContainEqual({ value: 'x', provider: null, count: 2 })
})

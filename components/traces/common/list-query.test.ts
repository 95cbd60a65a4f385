import { describe, expect, test } from 'vitest'
import { chipsOf } from '@/components/shared/list/filters'
import { PriceBook } from '@/lib/traces/cost'
import { parseFilter } from '@/lib/traces/filter'
import { costPrices, FILTERS, readRange, traceList, traceQueryOf } from './list-query'
import { piecesOf, readSpan } from './span'

const NOW = Date.UTC(2026, 0, 10, 12, 34, 56)
const asked = (query: string) => traceQueryOf(new URLSearchParams(query), ['p'], NOW)

describe('the query for a URL', () => {
  test('is the root runs of a week, without their inputs and outputs', () => {
    const { runs, totals, models } = asked('')
    expect(runs).toMatchObject({ session: ['p'], is_root: true, limit: 25, start_time: '2026-01-03T15:00:00.000Z' })
    for (const heavy of ['inputs', 'outputs', 'events', 'serialized']) expect(runs.select).not.toContain(heavy)
    expect(totals).toMatchObject({ is_root: true, bucket_seconds: 10_800 })
    expect(models).toEqual({
      session: ['p'],
      start_time: runs.start_time,
      is_model: true,
      bucket_seconds: 10_800,
      model_usage: true,
      other_costs: true,
    })
  })

  test('has a filter that servers can parse, whatever the URL contains', () => {
    const query = new URLSearchParams({
      ...{ q: 'a "quoted" word', status: 'error', name: 'x")', model: 'm', tag: 't', meta: 'team:blue', thread: 'h' },
      ...{ error: 'no, such', latency: '>2', tokens: '10-20' },
    })
    const { runs, models } = traceQueryOf(query, ['p'], NOW)
    const filter = parseFilter(runs.filter ?? '')
    expect(filter).toMatchObject({ op: 'and' })
    expect(filter.op === 'and' && filter.of).toHaveLength(10)
    expect(models).toMatchObject({ trace_filter: runs.filter, is_model: true })
  })

  test('asks the model calls below a root for model, provider, finish reason and cached share', () => {
    const below = 'model=GPT&provider=openai&finish=length&cached=>50'
    const { runs, totals, models, isFiltered } = asked(below)
    expect(runs.filter).toBeUndefined()
    expect(parseFilter(runs.tree_filter ?? '')).toMatchObject({ op: 'and', of: [{ op: 'or' }, { op: 'and' }] })
    expect(runs.tree_filter).toContain('like(model, "%GPT%")')
    expect(runs.tree_filter).toContain('gte(cached_share, 0.5)')
    expect([totals.tree_filter, models.tree_filter, isFiltered]).toEqual([runs.tree_filter, runs.tree_filter, true])
    const all = asked(`runs=all&${below}`).runs
    expect([all.tree_filter, all.filter?.includes('eq(finish_reason, "length")')]).toEqual([undefined, true])
  })

  test('filters by cost with the prices of the models that were logged', () => {
    const shipped = {
      cacheWrite: null,
      cacheWrite1h: null,
      reasoning: null,
      cachedInput: null,
      validFrom: '2026-01-01',
    }
    const book = new PriceBook([{ model: 'gpt-*', provider: null, input: 2, output: 8, ...shipped }])
    const prices = costPrices([{ value: 'gpt-5', provider: 'openai' }, { value: 'other' }], book)
    expect(prices).toEqual([
      {
        ...{ model: 'gpt-5', provider: 'openai', valid_from: '2026-01-01', input: 2, output: 8, reasoning: 8 },
        ...{ cache_read: 2, cache_write: 2.5, cache_write_1h: 4 },
      },
    ])
    const { runs, models } = traceQueryOf(new URLSearchParams('cost=>0.5'), ['p'], NOW, prices)
    expect(runs.cost).toEqual({ min: 0.5, prices })
    expect(models.cost).toEqual({ min: 0.5, prices, is_of_trace: true })
  })

  test('is limited to a project of the list', () => {
    const of = (query: string) => traceQueryOf(new URLSearchParams(query), ['p', 'q'], NOW).runs.session
    expect([of('project=q'), of('project=z'), of('')]).toEqual([['q'], ['p', 'q'], ['p', 'q']])
  })

  test('is for all runs once a run type is chosen', () => {
    const { runs, models, isRoots } = asked('type=tool&name=a')
    expect([isRoots, 'is_root' in runs, runs.run_type]).toEqual([false, false, 'tool'])
    expect(models).toMatchObject({ run_type: 'tool', filter: runs.filter })
  })

  test('is limited to a trace by id, and omits other costs for the type llm', () => {
    const trace = '0198c2f4-5a6b-7c8d-9e0f-1a2b3c4d5e6f'
    const { runs, totals, models, isFiltered } = asked(`trace=${trace}&type=llm`)
    expect([runs, totals, models].map((one) => one.trace)).toEqual([trace, trace, trace])
    expect([isFiltered, models.other_costs]).toEqual([true, false])
    expect(asked('trace=half').runs.trace).toBeUndefined()
  })

  test('continues at the last cursor in the URL', () => {
    expect(asked('after=a,b').runs).toMatchObject({ cursor: 'b' })
    expect(asked('after=a,b').trail).toEqual(['a', 'b'])
  })

  test('ignores invalid values', () => {
    expect(asked('status=fine&latency=soon&limit=7&meta=%7B').runs).toMatchObject({ limit: 25 })
    expect(asked('status=fine&latency=soon').isFiltered).toBe(false)
  })
})

test.each([
  ['>2', { min: 2 }],
  ['>= 2.5', { min: 2.5 }],
  ['<1', { max: 1 }],
  ['1 - 3', { min: 1, max: 3 }],
  ['2', undefined],
  ['-1', undefined],
])('parses the range %s', (text, range) => expect(readRange(text)).toEqual(range))

test('a saved view keeps the filters and the time span, but not the page', () => {
  const search = new URLSearchParams('after=x&since=1h&status=error&view=v&q=a')
  expect(traceList.savedViews?.queryOf(search)).toBe('q=a&status=error&since=1h')
  expect(chipsOf(FILTERS, search).map(({ text }) => text)).toEqual(['Failed'])
})

describe('a span of time', () => {
  test('stays the same for a while, so that its queries are served from the cache', () => {
    const first = readSpan(new URLSearchParams(), NOW)
    expect(readSpan(new URLSearchParams(), NOW + 60_000)).toEqual(first)
  })

  test('is divided into at most sixty whole intervals', () => {
    const span = readSpan(new URLSearchParams({ from: '2026-01-01T00:07:00Z', to: '2026-01-01T02:00:00Z' }), NOW)
    expect([span.from, span.to, span.step]).toEqual(['2026-01-01T00:07:00.000Z', '2026-01-01T02:00:00.000Z', 300])
    expect(piecesOf(span, []).length).toBeLessThanOrEqual(61)
    expect(readSpan(new URLSearchParams({ from: 'x', to: 'y' }), NOW).value).toBe('7d')
  })

  test('has an entry for each interval, with or without data', () => {
    const span = { first: 0, last: 3_600_000, step: 1_800 }
    const known = { start_time: '1970-01-01T00:30:00Z' }
    expect(piecesOf(span, [known])).toEqual([
      { at: 0, bucket: undefined },
      { at: 1_800_000, bucket: known },
    ])
  })
})

import { expect, test } from 'vitest'
import { filterText, parseFilter } from './filter'
import { hostedFilter, unsupportedIn } from './hosted-filter'

test('fields that only the embedded platform has are searched where SDKs log them', () => {
  const text = filterText({ model: 'm "1"', thread: 't', status: 'error', tag: 'a', minLatency: 2, text: 'word' }) ?? ''
  const metadata = (key: string, value: string) => ({
    ...{ op: 'has', field: 'metadata', value: JSON.stringify({ [key]: value }) },
  })
  expect(parseFilter(hostedFilter(text))).toEqual({
    op: 'and',
    of: [
      { op: 'eq', field: 'status', value: 'error' },
      metadata('ls_model_name', 'm "1"'),
      { op: 'has', field: 'tags', value: 'a' },
      { op: 'or', of: ['thread_id', 'session_id', 'conversation_id'].map((key) => metadata(key, 't')) },
      { op: 'gte', field: 'latency', value: 2 },
      { op: 'search', text: 'word' },
    ],
  })
  expect(hostedFilter('not(eq(provider, "p"))')).toBe(String.raw`not(has(metadata, "{\"ls_provider\":\"p\"}"))`)
})

test('an unreadable filter is left for the server to refuse', () => {
  expect(hostedFilter('eq(model')).toBe('eq(model')
  expect(hostedFilter('eq(constructor, 1)')).toBe('eq(constructor, 1)')
})

test('what hosted servers cannot filter by is named', () => {
  const text = filterText({ status: 'cancelled', finish: 'length', minCached: 0.5, model: 'gpt' }) ?? ''
  expect(unsupportedIn(`not(${text})`)).toEqual(['the status cancelled', 'finish reason', 'cached share'])
  expect(unsupportedIn('eq(status, "error")')).toEqual([])
  expect(unsupportedIn('eq(model')).toEqual([])
})

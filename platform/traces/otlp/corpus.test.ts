import { expect, test } from 'vitest'
import type { Json } from '@/lib/traces/blocks/values'
import { CORPUS } from '@/lib/traces/corpus/corpus'
import { runOfSpan } from './run'
import { readSpans } from './spans'

// The runs of the corpus that were made of spans are what the platform makes of them today. The corpus holds how they read.

const FIELDS = ['name', 'run_type', 'start_time', 'end_time', 'inputs', 'outputs', 'error', 'tags'] as const
const shape = (run: Json) => {
  const metadata = (run.extra as { metadata: Json }).metadata
  return { ...Object.fromEntries(FIELDS.map((field) => [field, run[field]])), metadata }
}

test.each(CORPUS.filter(({ spans }) => spans !== undefined).map((one) => [one.name, one] as const))(
  '%s',
  (_, { spans, runs }) => {
    const made = JSON.parse(JSON.stringify(readSpans(spans).spans.map(runOfSpan))) as Json[]
    made.sort((one, other) => Number(one.start_time) - Number(other.start_time))
    expect(made.map(shape)).toEqual(runs.map((run) => shape(run as Json)))
  },
)

test('the corpus has spans of three instrumentations', () => {
  const scopes = CORPUS.flatMap(({ spans }) => (spans === undefined ? [] : readSpans(spans).spans)).map(
    ({ scope }) => scope.name ?? '',
  )
  expect([...new Set(scopes)].sort()).toEqual([
    '@arizeai/openinference-instrumentation-openai',
    '@traceloop/instrumentation-openai',
    'ai',
  ])
})

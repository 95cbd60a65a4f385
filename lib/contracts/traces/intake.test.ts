import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tracesSchemas } from '../traces.schemas'
import { MULTIPART_FIELDS, type PartName, parsePartName, TraceRunCreate, TraceRunPatch } from './intake'
import { TraceRun } from './trace-run'

const UUID = '0190a000-0000-7000-8000-000000000001'

describe('part names', () => {
  test.each<[string, PartName]>([
    [`post.${UUID}`, { kind: 'post', runId: UUID, field: undefined }],
    [`patch.${UUID}`, { kind: 'patch', runId: UUID, field: undefined }],
    [`feedback.${UUID}`, { kind: 'feedback', id: UUID }],
    [`attachment.${UUID}.picture`, { kind: 'attachment', runId: UUID, name: 'picture' }],
    ...MULTIPART_FIELDS.map((field): [string, PartName] => [
      `post.${UUID}.${field}`,
      { kind: 'post', runId: UUID, field },
    ]),
  ])('%s is recognized', (name, part) => {
    expect(parsePartName(name)).toEqual(part)
  })

  test.each([
    '',
    'post',
    'post.',
    'post.a.tags',
    'post.a.inputs.b',
    'feedback.a.b',
    'attachment.a',
    'attachment.a.',
    'attachment.a.b.c',
    'put.a',
    'constructor.a',
  ])('%j is not recognized', (name) => {
    expect(parsePartName(name)).toBeUndefined()
  })

  test('no name throws', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        parsePartName(name)
      }),
    )
  })
})

test('a run that starts with text and ends with milliseconds is accepted as it is', () => {
  const run = {
    id: UUID,
    name: 'a',
    run_type: 'llm',
    start_time: '2026-01-01T00:00:00.000001Z',
    end_time: 1767225600000,
    inputs: { a: [1] },
    outputs: null,
    child_runs: [],
  }
  expect(tracesSchemas.createTraceRun.body.parse(run)).toEqual(run)
  expect(tracesSchemas.createTraceRunBatch.body.parse({ post: [run], patch: [] })).toEqual({ post: [run], patch: [] })
})

test('free-form parts of a run are passed on themselves, and costs keep their digits', () => {
  const run = {
    id: UUID,
    inputs: { a: 1 },
    outputs: [1],
    extra: { metadata: {} },
    total_cost: '0.000000123456789012345',
  }
  const parsed = TraceRun.parse({ ...run, app_path: '/x' })
  expect(parsed).toEqual(run)
  expect(parsed.inputs).toBe(run.inputs)
})

test('a run keeps fields that nobody knows, and needs an id unless it is in the path', () => {
  const run = { id: 'run-1', name: 'chat', run_type: 'llm', unknown: { a: 1 } }
  expect(TraceRunCreate.parse(run)).toEqual(run)
  expect(TraceRunPatch.parse(run)).toEqual(run)
  expect(TraceRunPatch.safeParse({ name: 'chat' }).success).toBe(true)
  for (const id of ['', null, undefined]) expect(TraceRunCreate.safeParse({ ...run, id }).success).toBe(false)
  expect(TraceRunPatch.safeParse({ ...run, id: '' }).success).toBe(false)
  for (const one of [TraceRunCreate, TraceRunPatch])
    for (const wrong of [{ name: 1 }, { trace_id: 1 }, { events: {} }, { extra: [] }, { tags: 'a' }])
      expect([wrong, one.safeParse({ ...run, ...wrong }).success]).toEqual([wrong, false])
})

import { expect, test } from 'vitest'
import type { Cron } from '@/lib/contracts/agents/crons'
import { parseJson } from '@/lib/json/lossless'
import { createBody, draftOf, emptyDraft, endField, lostMetadata, patchBody, problemsOf } from './cron-draft'

const cron: Cron = {
  cron_id: 'c',
  assistant_id: 'a',
  thread_id: null,
  on_run_completed: 'delete',
  schedule: '0 9 * * *',
  timezone: 'Europe/Berlin',
  metadata: { team: 'x', old: 1 },
  enabled: true,
  payload: {
    assistant_id: 'a',
    metadata: { cron_id: 'c' },
    on_completion: 'delete',
    input: parseJson('{"serial": 12345678901234567890}'),
    config: { recursion_limit: 5 },
    webhook: 'https://example.com',
  },
}

test('an unchanged cron sends nothing, and one changed field only that field', () => {
  const draft = draftOf(cron)
  expect(problemsOf(draft)).toEqual({})
  expect(patchBody(draft, draftOf(cron))).toBeUndefined()
  expect(patchBody(draft, { ...draft, schedule: ' 0 10 * * * ' })).toBe('{"schedule":"0 10 * * *"}')
  expect(patchBody(draft, { ...draft, isEnabled: false })).toBe('{"enabled":false}')
  expect(patchBody(draft, { ...draft, rest: '{"config":{"recursion_limit":5}}' })).toBe('{"webhook":null}')
})

test('an end is shown and chosen as a date and a time in UTC, and sent only if it was changed', () => {
  expect(endField.of('2027-01-31T13:00:30+01:00')).toBe('2027-01-31T12:00')
  expect([endField.of(''), endField.of('soon')]).toEqual(['', ''])
  expect([endField.read('2027-01-31T12:00'), endField.read('')]).toEqual(['2027-01-31T12:00:00Z', ''])
  const draft = draftOf({ ...cron, end_time: '2027-01-31T13:00:30+01:00' })
  expect(patchBody(draft, draft)).toBeUndefined()
  expect(patchBody(draft, { ...draft, end: endField.read('2027-02-01T09:30') })).toBe(
    '{"end_time":"2027-02-01T09:30:00Z"}',
  )
})

test('numbers keep their digits', () => {
  const draft = draftOf(cron)
  expect(patchBody(draft, { ...draft, input: draft.input.replace('}', ', "more": 1}') })).toContain(
    '"serial":12345678901234567890',
  )
})

test('a new cron sends its time zone and whether to keep threads', () => {
  expect(JSON.parse(createBody(emptyDraft('a')))).toEqual({
    assistant_id: 'a',
    schedule: '0 9 * * 1-5',
    timezone: 'UTC',
    enabled: true,
    on_run_completed: 'keep',
    input: {},
  })
  expect(JSON.parse(createBody(emptyDraft('a', 'thread')))).not.toHaveProperty('on_run_completed')
})

test('errors are reported by field, and removed metadata keys are listed', () => {
  const draft = draftOf(cron)
  expect(Object.keys(problemsOf({ ...draft, assistant: '', end: 'soon', context: '[]', rest: '{' }))).toEqual([
    'assistant',
    'end',
    'rest',
    'context',
  ])
  expect(lostMetadata(draft, { ...draft, metadata: '{"team": "y"}' })).toEqual(['old'])
})

import { expect, test } from 'vitest'
import { REDACTED } from '@/lib/contracts/wire/redact'
import type { LogEntry, RecordingSummary } from '@/lib/stream/log'
import { publicEntry, publicSummary } from './public-copy'

const CREDENTIAL = 'Bearer canary-7d1e'
const KEYED = '{"api_key":"canary"}'

const later = { note: CREDENTIAL, nested: { password: 'canary' } }
const entries: LogEntry[] = [
  { seq: 1, at: 1, kind: 'event', event: CREDENTIAL, id: CREDENTIAL, data: KEYED },
  { seq: 2, at: 2, kind: 'event', event: 'error', data: `The key ${CREDENTIAL} is not valid.` },
  { seq: 3, at: 3, kind: 'joined', state: KEYED },
  { seq: 4, at: 4, kind: 'gap', since: 3, reason: `No answer for ${CREDENTIAL}.`, state: KEYED },
  { seq: 5, at: 5, kind: 'final', outcome: 'error', run: '{"run_id":"canary"}', state: KEYED, reason: CREDENTIAL },
  { seq: 6, at: 6, kind: 'final', outcome: 'unknown', startedAt: 1, endedAt: 2, ...later },
]

test.each(entries)('entry $seq ($kind) has no field with a credential, nor has one that is added later', (entry) => {
  const copy = publicEntry(entry)
  expect(JSON.stringify(copy)).not.toContain('canary')
  expect(copy).toMatchObject({ seq: entry.seq, at: entry.at, kind: entry.kind })
})

test('an entry keeps what is no credential', () => {
  const plain: LogEntry[] = [
    { seq: 1, at: 1, kind: 'event', event: 'values|tools:1', id: '7', data: '{ "tokens" : 12345678901234567890 }' },
    { seq: 2, at: 2, kind: 'gap', since: 1, reason: 'The server closed the stream.' },
    { seq: 3, at: 3, kind: 'final', outcome: 'success', startedAt: 1, endedAt: 3, state: '{}' },
  ]
  expect(plain.map(publicEntry)).toEqual(plain)
})

test('a summary has the fields of the run only, and what is added later stays here', () => {
  const summary: RecordingSummary = {
    ...{ id: 'recording', workspace: 'canary', deployment: 'canary', thread: 'canary', run: 'canary' },
    ...{ assistant: 'agent', assistantVersion: 2, phase: 'ended', outcome: 'success', startedBy: 'canary' },
    ...{ startedAt: '2026-01-01T00:00:00Z', endedAt: null, entries: 1, bytes: 2, isStateless: false },
    request: `{"input":{"password":"canary","question":"Why?"}}`,
  }
  const copy = publicSummary({ ...summary, ...{ output: 'canary' } })
  expect(JSON.stringify(copy)).not.toContain('canary')
  expect(copy).toMatchObject({ id: 'recording', assistant: 'agent', outcome: 'success', entries: 1 })
  expect(copy.request).toBe(`{"input":{"password":"${REDACTED}","question":"Why?"}}`)
})

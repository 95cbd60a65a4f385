import { expect, test } from 'vitest'
import type { LogEntry, RecordingSummary } from './log'
import { endLine, entryLine, headerLine, RecordingFileError, RecordingFileReader } from './recording-file'

const summary: RecordingSummary = {
  id: 'r',
  workspace: 'w',
  deployment: 'd',
  thread: 't',
  run: 'x',
  assistant: 'chat',
  phase: 'ended',
  outcome: 'success',
  startedBy: 'a@b',
  startedAt: '2026-11-21T00:00:00.000Z',
  endedAt: null,
  entries: 3,
  bytes: 10,
  request: '{"n":12345678901234567890}',
  isStateless: false,
}
const entries: LogEntry[] = [
  { seq: 1, at: 1, kind: 'event', event: 'values', data: '{"n":12345678901234567890,"s":"\\u2028\n"}' },
  { seq: 2, at: 2, kind: 'gap', since: 1, reason: 'broke' },
  { seq: 3, at: 3, kind: 'final', outcome: 'success', state: '{}' },
]
const file = headerLine(summary, 'now') + entries.map(entryLine).join('') + endLine(3)

const read = (text: string, cut = text.length) => {
  const reader = new RecordingFileReader()
  const found: LogEntry[] = []
  for (let at = 0; at < text.length; at += cut) found.push(...reader.push(text.slice(at, at + cut)))
  found.push(...reader.end())
  return { reader, found }
}

test('a written file is read back, however it is split', () => {
  for (const cut of [1, 2, 7, 64, file.length]) {
    const { reader, found } = read(file, cut)
    expect(found).toEqual(entries)
    expect(reader.isWhole).toBe(true)
    expect(reader.header?.recording).toMatchObject({ id: 'r', request: summary.request })
  }
})

test('a truncated file shows what it has, and is reported as incomplete', () => {
  const cut = file.slice(0, file.indexOf('"broke"'))
  const { reader, found } = read(cut)
  expect(found).toEqual(entries.slice(0, 1))
  expect(reader.isWhole).toBe(false)
})

test.each([
  ['a picture', '\u0089PNG'.repeat(30_000)],
  ['nothing', ''],
  ['other JSON', '{"a":1}\n'],
  ['a later version', `${JSON.stringify({ format: 'pilothouse-recording', version: 2, recording: {} })}\n`],
  ['an entry that is none', `${headerLine(summary, '')}{"seq":1,"at":1,"kind":"event","event":{},"data":"1"}\n`],
  ['an entry of no time', `${headerLine(summary, '')}{"seq":1,"at":1e300,"kind":"joined"}\n`],
  ['a hole', headerLine(summary, '') + entryLine({ seq: 2, at: 1, kind: 'joined' })],
])('%s is refused with a message', (_name, text) => expect(() => read(text)).toThrow(RecordingFileError))

test('a last line without a line break counts, and empty lines do not', () => {
  const header = headerLine(summary, 'now')
  const [first, second] = entries.map(entryLine)
  const { reader, found } = read(`${header}\n${first}  \n${second?.trimEnd()}`)
  expect(found).toEqual(entries.slice(0, 2))
  expect([reader.entries, reader.isWhole, reader.end()]).toEqual([2, false, []])
  expect(read(`${header}${first}   `).found).toHaveLength(1)
  expect(() => read('  ')).toThrow('is not a recording that was exported here')
})

test('a file whose end names another number of entries is not whole, and nothing after a right end counts', () => {
  const header = headerLine(summary, 'now')
  expect(read(header + entries.map(entryLine).join('') + endLine(2)).reader.isWhole).toBe(false)
  const { reader, found } = read(`${header}${endLine(0)}${entryLine({ seq: 1, at: 1, kind: 'joined' })}rubbish`)
  expect([reader.isWhole, found]).toEqual([true, []])
})

test('the header keeps what it knows, and an older or odd one has plain values', () => {
  const headOf = (recording: object, more: object = {}) =>
    read(`${JSON.stringify({ format: 'pilothouse-recording', version: 1, recording, ...more })}\n`).reader.header
  const full = { ...summary, assistantVersion: 3, isStateless: true, endedAt: '2026-11-21T00:00:01.000Z' }
  expect(headOf(full, { exportedAt: 'now' })).toEqual({
    ...{ format: 'pilothouse-recording', version: 1, exportedAt: 'now' },
    recording: { ...full, phase: 'live', outcome: null, entries: 0, bytes: 0 },
  })
  expect(headOf({ id: 7, startedAt: 'soon', isStateless: 'yes' })).toMatchObject({
    exportedAt: '',
    recording: {
      id: '',
      thread: null,
      run: null,
      startedAt: '1970-01-01T00:00:00.000Z',
      endedAt: null,
      isStateless: false,
    },
  })
  expect(headOf({})?.recording).not.toHaveProperty('assistantVersion')
})

test.each<[string, boolean, object]>([
  ['an event with an id', true, { kind: 'event', event: 'values', data: '1', id: '7' }],
  ['an event with a number as id', false, { kind: 'event', event: 'values', data: '1', id: 7 }],
  ['an event without data', false, { kind: 'event', event: 'values' }],
  ['a late start', true, { kind: 'joined', state: '{}' }],
  ['a late start with another state', false, { kind: 'joined', state: {} }],
  ['a gap', true, { kind: 'gap', since: 1, reason: 'broke', state: '{}' }],
  ['a gap without a time', false, { kind: 'gap', reason: 'broke' }],
  ['a gap without a reason', false, { kind: 'gap', since: 1 }],
  ['a gap with another state', false, { kind: 'gap', since: 1, reason: 'broke', state: 1 }],
  [
    'an end',
    true,
    { kind: 'final', outcome: 'timeout', run: '{}', state: '{}', reason: 'why', startedAt: 1, endedAt: 2 },
  ],
  ['an end with an unknown outcome', false, { kind: 'final', outcome: 'continued' }],
  ['an end with another run', false, { kind: 'final', outcome: 'error', run: {} }],
  ['an end with another state', false, { kind: 'final', outcome: 'error', state: {} }],
  ['an end with another reason', false, { kind: 'final', outcome: 'error', reason: {} }],
  ['an end with another start', false, { kind: 'final', outcome: 'error', startedAt: 'now' }],
  ['an end with another end', false, { kind: 'final', outcome: 'error', endedAt: 8.65e15 }],
  ['another kind', false, { kind: 'note' }],
])('%s is an entry: %s', (_name, isEntry, entry) => {
  const text = `${headerLine(summary, 'now')}${JSON.stringify({ seq: 1, at: 1, ...entry })}\n`
  if (isEntry) expect(read(text).found).toMatchObject([entry])
  else expect(() => read(text)).toThrow('Line 2 is not an entry of a recording.')
})

test('a wrong line is named', () => {
  const start = headerLine(summary, 'now') + entryLine({ seq: 1, at: 1, kind: 'joined' })
  expect(() => read(`${start}{"seq\n`)).toThrow('Line 3 is not valid JSON.')
  expect(() => read(start + entryLine({ seq: 1, at: 1, kind: 'joined' }))).toThrow('entry 1 cannot follow entry 1')
  expect(() => read(`${start}{"seq":1.5,"at":1,"kind":"joined"}\n`)).toThrow('Line 3 is not an entry')
})

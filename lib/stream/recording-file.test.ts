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

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type SseEvent, SseParser, SseTooLargeError } from './sse'

const bytes = (text: string) => new TextEncoder().encode(text)
const short = ({ event, data, id }: SseEvent) => (id === undefined ? [event, data] : [event, data, id])

function parse(pieces: Uint8Array[]) {
  const comments: string[] = []
  const retries: number[] = []
  const parser = new SseParser({ onComment: (text) => comments.push(text), onRetry: (ms) => retries.push(ms) })
  const events = pieces.flatMap((piece) => parser.push(piece))
  parser.end()
  return { events, comments, retries, lastEventId: parser.lastEventId, work: parser.work }
}
const cutAt = (whole: Uint8Array, places: number[]) => {
  const sorted = [0, ...[...new Set(places)].sort((a, b) => a - b), whole.length]
  return sorted.slice(1).map((end, index) => whole.subarray(sorted[index], end))
}

const CASES: [string, string, unknown[]][] = [
  ['a leading BOM is dropped', '\uFEFFdata:1\n\n', [['message', '1']]],
  ['a second BOM is part of the field name', '\uFEFF\uFEFFdata:1\n\ndata:2\n\n', [['message', '2']]],
  ['comments are no events', ':\n:data:1\n: x\ndata:2\n\n', [['message', '2']]],
  ['data lines are joined by LF', 'data\ndata:\ndata:a\ndata: b\n\n', [['message', '\n\na\nb']]],
  ['a block without data is no event and forgets its name', 'event:x\n\ndata:1\n\n', [['message', '1']]],
  ['an empty data field is an event', 'data\n\n', [['message', '']]],
  ['one space after the colon is cut, not two', 'data:  a\n\n', [['message', ' a']]],
  [
    'CR, LF and CRLF all end a line',
    'data:1\rdata:2\r\ndata:3\n\r\ndata:4\r\r',
    [
      ['message', '1\n2\n3'],
      ['message', '4'],
    ],
  ],
  ['an id after the data belongs to the event', 'event: updates\ndata: {}\nid: 7\n\n', [['updates', '{}', '7']]],
  ['an id with NUL is ignored', 'id:1\0\ndata:x\n\n', [['message', 'x']]],
  [
    'an empty id is an id',
    'id:3\ndata:a\n\nid\ndata:b\n\n',
    [
      ['message', 'a', '3'],
      ['message', 'b', ''],
    ],
  ],
  ['unknown fields are skipped', 'dat:1\nDATA:2\n data:3\ndata:4\n\n', [['message', '4']]],
  ['an unfinished last event is dropped', 'data:1\n\ndata:2\n', [['message', '1']]],
  ['characters of several bytes survive', 'data: Zürich 東京 🚢\n\n', [['message', 'Zürich 東京 🚢']]],
  ['namespaces stay in the name', 'event: messages|agent:1|in:2\ndata: []\n\n', [['messages|agent:1|in:2', '[]']]],
]

describe.each(CASES)('%s', (_, text, expected) => {
  test('in one piece, split at every byte, and byte by byte', () => {
    const whole = bytes(text)
    expect(parse([whole]).events.map(short)).toEqual(expected)
    for (let at = 1; at < whole.length; at++)
      expect(parse(cutAt(whole, [at])).events.map(short), `split at ${at}`).toEqual(expected)
    expect(parse(Array.from(whole, (byte) => Uint8Array.of(byte))).events.map(short)).toEqual(expected)
  })
})

test('an event that a lone CR ends is dispatched without waiting for the next byte', () => {
  const parser = new SseParser()
  expect(parser.push(bytes('data:1\r\r'))).toHaveLength(1)
  expect(parser.push(bytes('\ndata:2\n'))).toHaveLength(0)
  expect(parser.push(bytes('\n')).map(short)).toEqual([['message', '2']])
})

test('an event cut off in the middle does not move the id to resume from', () => {
  const parser = new SseParser()
  parser.push(bytes('id: 4\ndata: a\n\nid: 5\ndata: b'))
  parser.end()
  expect(parser.lastEventId).toBe('4')
  expect(parser.push(bytes('data: c\n\n'))).toMatchObject([{ data: 'c', id: undefined, lastEventId: '4' }])
})

test('comments and valid retries are reported', () => {
  const { comments, retries } = parse([bytes(': heartbeat\n\nretry: 250\nretry: -1\nretry: 1e3\n:\n')])
  expect(comments).toEqual([' heartbeat', ''])
  expect(retries).toEqual([250])
})

test('an overlong event is a clear error, in one line and in many', () => {
  const one = new SseParser({ maxEventLength: 1000 })
  expect(() => {
    for (let i = 0; i < 20; i++) one.push(bytes('data: '.padEnd(100, 'x')))
  }).toThrow(SseTooLargeError)
  const many = new SseParser({ maxEventLength: 1000 })
  expect(() => many.push(bytes(`data: ${'x'.repeat(90)}\n`.repeat(20)))).toThrow(/longer than 1000 characters/)
})

test('the work for a long line is linear in its length, however small the pieces', () => {
  const work = (length: number) => {
    const whole = bytes(`data: ${'x'.repeat(length)}\n\n`)
    const pieces = Array.from({ length: Math.ceil(whole.length / 2048) }, (_, i) =>
      whole.subarray(i * 2048, (i + 1) * 2048),
    )
    const { events, work } = parse(pieces)
    expect(events[0]?.data).toHaveLength(length)
    return work
  }
  const [small, large] = [work(1_250_000), work(10_000_000)]
  expect(large / small).toBeCloseTo(8, 1)
  expect(large).toBeLessThan(10_000_000 * 4)
})

// Parts of streams, so that random ones meet every rule. Includes raw bytes, because invalid UTF-8 must not depend on
// the chunks.
const token = fc.oneof(
  fc.constantFrom(
    'data',
    'data:',
    'data: ',
    'id:',
    'event: ',
    'retry:',
    ':',
    ': hb',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\0',
    ' ',
    '{"a":1}',
    'é',
    '🚢',
    '7',
    '|',
  ),
  fc.string({ maxLength: 4 }),
)
const stream = fc.array(token, { maxLength: 40 }).map((tokens) => bytes(`${tokens.join('')}`))
const hostile = fc
  .array(fc.oneof(stream, fc.uint8Array({ maxLength: 4 })), { maxLength: 8 })
  .map((parts) => new Uint8Array(Buffer.concat(parts)))

test('the same bytes give the same events however they are split', () => {
  fc.assert(
    fc.property(fc.oneof(stream, hostile), fc.array(fc.nat(400), { maxLength: 12 }), (whole, places) => {
      const inside = places.filter((place) => place < whole.length)
      expect(parse(cutAt(whole, inside))).toMatchObject({ ...parse([whole]), work: expect.any(Number) })
    }),
    { numRuns: 3000 },
  )
})

test('invalid UTF-8 is replaced as a stream decoder does, however it is split', () => {
  // First, middle and invalid bytes of characters of two to four bytes, and of a BOM.
  const odd = [0x41, 0x7f, 0x80, 0x9f, 0xa0, 0xbb, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff]
  const one = fc.oneof(fc.constantFrom(...odd), fc.integer({ min: 14, max: 255 }))
  fc.assert(
    fc.property(fc.array(one, { maxLength: 30 }), fc.array(fc.nat(40)), (middle, places) => {
      const whole = Uint8Array.from([...bytes('data:'), ...middle, 10, 10])
      const data = new TextDecoder().decode(whole).slice(5, -2)
      const expected = data.startsWith(' ') ? data.slice(1) : data
      const pieces = cutAt(
        whole,
        places.map((at) => at % whole.length),
      )
      expect(parse(pieces).events.map(({ data }) => data)).toEqual([expected])
    }),
    { numRuns: 3000 },
  )
})

test('agrees with eventsource-parser on whole streams', () => {
  fc.assert(
    fc.property(stream, (whole) => {
      const theirs: unknown[] = []
      const reference = createParser({ onEvent: ({ event, data, id }) => theirs.push([event || 'message', data, id]) })
      // It waits for a byte after a lone CR at the end, so the text ends in LF here.
      reference.feed(`${new TextDecoder().decode(whole)}\n`)
      const ours = parse([whole, bytes('\n')]).events.map(({ event, data, id }) => [event, data, id])
      expect(ours).toEqual(theirs)
    }),
    { numRuns: 3000 },
  )
})

test('after its end a parser reads another stream as if it were the first', () => {
  const parser = new SseParser()
  // Ends in the middle of a line, of a character and after a CR.
  for (const left of [bytes('data: never'), bytes('data: \u00e9').subarray(0, -1), bytes('data: x\r')]) {
    parser.push(left)
    parser.end()
    const pieces = ['\uFEFFda', 'ta: 1\n\n'].flatMap((text) => parser.push(bytes(text)))
    expect(pieces.map(short)).toEqual([['message', '1']])
    parser.end()
  }
})

test('the limit counts the data of all lines and what has arrived of the next one', () => {
  const read = (...pieces: string[]) => {
    const parser = new SseParser({ maxEventLength: 10 })
    return () => pieces.flatMap((text) => parser.push(bytes(text)))
  }
  expect(read('data: 123456789\n\n')()).toHaveLength(1)
  expect(read('data: 1234567890\n\n')).toThrow(SseTooLargeError)
  expect(read('data: 1234\ndata:', '\n\n')()).toHaveLength(1)
  expect(read('data: 1234\ndata:', 'x')).toThrow(SseTooLargeError)
})

test('without callbacks, comments and retry times are skipped, and no other field is a retry time', () => {
  const parser = new SseParser()
  expect(parser.push(bytes(': hello\nretry: 5\ndata: 1\n\n')).map(short)).toEqual([['message', '1']])
  expect(parse([bytes('sleep: 25\nretries: 7\n\n')]).retries).toEqual([])
})

test('the work counts each character, also those of an event that is put together', () => {
  const whole = (text: string) => parse([bytes(text)]).work
  expect(whole('data: 1234\n\n') - whole('id: 123456\n\n')).toBe('1234'.length)
  expect(parse([bytes('data: 1'), bytes('23\n\n')]).work).toBeGreaterThanOrEqual('data: 123\n\n'.length)
})

test('an event that is kept does not keep all that was read with it', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const read = bytes(`data: ${'kept '.repeat(10)}\n\n${`data: ${'x'.repeat(1000)}\n\n`.repeat(2000)}`)
  const parser = new SseParser()
  collect()
  const before = process.memoryUsage().heapUsed
  const kept = Array.from({ length: 20 }, () => parser.push(read)[0])
  collect()
  const bytesKept = process.memoryUsage().heapUsed - before
  expect(kept).toHaveLength(20)
  expect(bytesKept).toBeLessThan((20 * read.length) / 10)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeEntries,
  EntryPrinter,
  encodeEntries,
  entriesAfter,
  type NewEntry,
  readEntries,
  TextEntries,
} from './entry-text'
import { applyEntries, applyEntry, createRunView, messagesOf } from './run-view'

const chunk = (content: string) =>
  JSON.stringify([{ type: 'AIMessageChunk', id: 'm', content }, { langgraph_node: 'n' }])
/** Several of a kind in a row, as in a stream. */
const some: fc.Arbitrary<NewEntry[]> = fc
  .tuple(
    fc.constantFrom('custom', 'messages', 'surprise|a:1', 'custom|a:1', '__proto__', 'od\u001fd', ''),
    fc.constantFrom('', '1', chunk('word '), 'line\nend', ',\u001e3\u001f', '{"a":"🚢"}'),
    fc.option(fc.constantFrom<string | number>('1-0', 'x', 7, 9), { nil: undefined }),
    fc.integer({ min: 1, max: 60 }),
    fc.nat(3),
  )
  .map(([event, data, id, count, later]) =>
    Array.from({ length: count }, (_, index) => ({
      at: 1_000 + Math.floor(index / 7) * later,
      kind: 'event' as const,
      event,
      ...(id !== undefined && { id: typeof id === 'number' ? String(id + index) : id }),
      data,
    })),
  )
const gap: fc.Arbitrary<NewEntry[]> = fc.constant([{ at: 5, kind: 'gap', since: 1, reason: 'broke' }])
const entries = fc
  .array(fc.oneof({ weight: 5, arbitrary: some }, gap), { minLength: 1, maxLength: 5 })
  .map((all) => all.flat())

test('entries kept as text give the same run, however much is read of them and in how many slices', () => {
  fc.assert(
    fc.property(entries, fc.nat(300), fc.nat(90), fc.nat(9), (news, before, cursor, patience) => {
      const text = encodeEntries(before + 1, news)
      const decoded = decodeEntries(text)
      const read = readEntries(text)
      expect([...read]).toEqual(decoded)
      expect(decoded).toEqual(news.map((entry, index) => ({ seq: before + index + 1, ...entry })))
      for (const index of [-1, cursor, cursor + 1, cursor, 0]) expect(read.at(index)).toEqual(decoded.at(index))
      expect([...entriesAfter(read, before + cursor)]).toEqual(decoded.slice(cursor))
      const [one, other] = [createRunView(), createRunView()]
      for (const view of [one, other])
        for (let seq = 1; seq <= before; seq++)
          applyEntry(view, { seq, at: seq, kind: 'event', event: 'custom', data: 'x' })
      for (const entry of decoded) applyEntry(one, entry)
      for (let from = 0, asked = 0; from < read.length; )
        from = applyEntries(other, read, from, () => ++asked % (patience + 1) !== 0)
      const told = ({ log, version, ...view }: typeof one) => ({
        ...view,
        log: Array.from({ length: log.length }, (_, index) => log.peek(log.first + index)),
        said: messagesOf(one),
      })
      expect(told(other)).toEqual(told(one))
      expect(other.log.at(before + cursor)).toEqual(one.log.at(before + cursor))
      expect(other.log.length).toBe(one.log.length)
    }),
    { numRuns: 60 },
  )
})

const custom = (from: number, count: number) =>
  encodeEntries(
    from,
    Array.from({ length: count }, (_, index) => ({
      at: 1,
      kind: 'event',
      event: 'custom',
      data: String(from + index),
    })),
  )
const always = () => true

test('many entries stay text; a gap is found, known entries are skipped, entry 1 restarts', () => {
  const many = readEntries(custom(1, 500))
  expect(many).toBeInstanceOf(TextEntries)
  expect(readEntries(`${custom(1, 50)},${custom(52, 50)}`)).toBeInstanceOf(Array)
  const view = createRunView()
  applyEntries(view, many, 0, always)
  applyEntries(view, readEntries(custom(450, 100)), 0, always)
  expect([view.seq, view.log.length, view.counters.get('custom')]).toEqual([549, 549, 549])
  expect(() => applyEntries(view, readEntries(custom(551, 100)), 0, always)).toThrow(RangeError)
  applyEntries(view, readEntries(custom(1, 40)), 0, always)
  expect([view.seq, view.log.length, view.log.at(40), view.log.at(41)]).toMatchObject([
    40,
    40,
    { data: '40' },
    undefined,
  ])
})

test('a log of text stays within its budget, and returns the same object for the same entry', () => {
  const view = createRunView({ budgetBytes: 1_000_000 })
  for (let from = 1; from < 40_000; from += 400) applyEntries(view, readEntries(custom(from, 400)), 0, always)
  const { log } = view
  expect(log.bytes).toBeLessThanOrEqual(1_000_000)
  expect(log.length).toBeGreaterThan(4_000)
  expect([log.last, log.at(log.first)?.seq, log.at(log.first - 1)]).toEqual([40_000, log.first, undefined])
  expect(log.at(39_999)).toBe(log.at(39_999))
})

const [E, F] = ['\u001e', '\u001f']
type Field = [event: string, id: string | undefined, data: string, at?: number]
const events = (...all: Field[]) =>
  all.map(
    ([event, id, data, at = 5]): NewEntry => ({ at, kind: 'event', event, ...(id !== undefined && { id }), data }),
  )

test.each<[string, Field[], string[]]>([
  [
    'events without an id',
    [
      ['a', undefined, '1'],
      ['a', undefined, '2'],
    ],
    [`1${F}5${F}a${F}${F}1`, `${F}${F}2`],
  ],
  [
    'numbers that follow',
    [
      ['a', '7', '1'],
      ['a', '8', '2'],
      ['a', '9', '3'],
    ],
    [`1${F}5${F}a${F}7${F}1`, `${F}${F}2`, `${F}${F}3`],
  ],
  [
    'numbers with a hole',
    [
      ['a', '7', '1'],
      ['a', '9', '2'],
      ['a', '10', '3'],
    ],
    [`1${F}5${F}a${F}7${F}1`, `${F}9${F}2`, `${F}${F}3`],
  ],
  [
    'other ids',
    [
      ['a', 'x', '1'],
      ['a', 'y', '2'],
    ],
    [`1${F}5${F}a${F}x${F}1`, `${F}y${F}2`],
  ],
  [
    'an id and then none',
    [
      ['a', 'x', '1'],
      ['a', undefined, '2'],
    ],
    [`1${F}5${F}a${F}x${F}1`, `2${F}5${F}a${F}${F}2`],
  ],
  [
    'a number and then none',
    [
      ['a', '7', '1'],
      ['a', undefined, '2'],
    ],
    [`1${F}5${F}a${F}7${F}1`, `2${F}5${F}a${F}${F}2`],
  ],
  [
    'none and then an id',
    [
      ['a', undefined, '1'],
      ['a', '1', '2'],
    ],
    [`1${F}5${F}a${F}${F}1`, `${F}1${F}2`],
  ],
  [
    'a number in another form',
    [
      ['a', '7', '1'],
      ['a', '08', '2'],
      ['a', '9', '3'],
    ],
    [`1${F}5${F}a${F}7${F}1`, `${F}08${F}2`, `${F}9${F}3`],
  ],
  [
    'another name',
    [
      ['a', undefined, '1'],
      ['ab', undefined, '2'],
    ],
    [`1${F}5${F}a${F}${F}1`, `2${F}5${F}ab${F}${F}2`],
  ],
  [
    'another time',
    [
      ['a', '1', '1'],
      ['a', '2', '2', 51],
    ],
    [`1${F}5${F}a${F}1${F}1`, `2${F}51${F}a${F}2${F}2`],
  ],
  ['an empty name', [['', undefined, '']], [`1${F}5${F}${F}${F}`]],
  ['an empty id', [['a', '', '1']], ['{"seq":1,"at":5,"kind":"event","event":"a","id":"","data":"1"}']],
  [
    'a control character in a name',
    [['a\t', undefined, '1']],
    ['{"seq":1,"at":5,"kind":"event","event":"a\\t","data":"1"}'],
  ],
  [
    'a control character in an id',
    [['a', '\t', '1']],
    ['{"seq":1,"at":5,"kind":"event","event":"a","id":"\\t","data":"1"}'],
  ],
  ['half a character', [['a', undefined, '\ud83d']], ['{"seq":1,"at":5,"kind":"event","event":"a","data":"\\ud83d"}']],
  [
    'an event after JSON',
    [
      ['a', undefined, '1'],
      ['a', undefined, '\n'],
      ['a', undefined, '3'],
    ],
    [`1${F}5${F}a${F}${F}1`, '{"seq":2,"at":5,"kind":"event","event":"a","data":"\\n"}', `3${F}5${F}a${F}${F}3`],
  ],
])('%s are kept without what follows from the event before, and read back', (_name, given, texts) => {
  const text = encodeEntries(1, events(...given))
  expect(text).toBe(texts.map((one) => `${E}${one}`).join(','))
  expect(decodeEntries(text)).toEqual(events(...given).map((entry, index) => ({ seq: index + 1, ...entry })))
})

test('a printer starts another text with a whole entry', () => {
  const printer = new EntryPrinter()
  const [one] = events(['a', undefined, '1']) as [NewEntry]
  expect([printer.print(1, one), printer.print(2, one)]).toEqual([`${E}1${F}5${F}a${F}${F}1`, `${E}${F}${F}1`])
  printer.begin()
  expect(printer.print(3, one)).toBe(`${E}3${F}5${F}a${F}${F}1`)
})

test('an old log has JSON without marks', () => {
  const text = '{"seq":1,"at":5,"kind":"event","event":"a","data":"1"},{"seq":2,"at":5,"kind":"joined"}'
  expect(decodeEntries(text)).toEqual(JSON.parse(`[${text}]`))
  expect(readEntries(text)).toEqual(JSON.parse(`[${text}]`))
  expect(decodeEntries(`${text},${E}3${F}6${F}a${F}${F}x`)[2]).toEqual({
    seq: 3,
    at: 6,
    kind: 'event',
    event: 'a',
    data: 'x',
  })
  expect([decodeEntries(''), [...readEntries('')]]).toEqual([[], []])
})

test('32 entries or more stay text, fewer are decoded at once', () => {
  expect(readEntries(custom(1, 31))).toBeInstanceOf(Array)
  expect(readEntries(custom(1, 32))).toBeInstanceOf(TextEntries)
})

test('a text of entries has a length, a size and a place for each entry', () => {
  const text = custom(11, 40)
  const read = readEntries(text) as TextEntries
  expect([read.first, read.length, read.size]).toEqual([11, 40, text.length - 1])
  expect([read.at(40), read.at(-41)]).toEqual([undefined, undefined])
  expect([read.at(-40)?.seq, read.at(39)?.seq]).toEqual([11, 50])
  const later = read.after(48)
  expect([later.first, later.length, later.at(-1)?.seq, later.at(-3)]).toEqual([49, 2, 50, undefined])
  expect(later.size).toBe(`49${F}1${F}custom${F}${F}49`.length - `49${F}1${F}custom`.length + `,${E}${F}${F}50`.length)
  expect([read.after(0).length, read.after(99).length, read.after(99).size]).toEqual([40, 0, text.length])
  expect([...later].map(({ seq }) => seq)).toEqual([49, 50])
})

test('a run of events ends at another name, at an entry that is none, or after so many', () => {
  const mixed = [
    ...events(...Array.from({ length: 40 }, (_, index): Field => ['a', undefined, String(index), index % 3])),
    ...events(['ab', undefined, 'x'], ['a', undefined, 'y']),
    { at: 1, kind: 'gap', since: 1, reason: 'broke' } as NewEntry,
    ...events(['a', undefined, 'z']),
  ]
  const read = readEntries(encodeEntries(1, mixed)) as TextEntries
  expect(read.endOf('a', 0, 100)).toBe(40)
  expect(read.endOf('a', 0, 7)).toBe(7)
  expect(read.endOf('ab', 40, 100)).toBe(41)
  expect(read.endOf('a', 41, 100)).toBe(42)
  expect(read.endOf('a', 43, 100)).toBe(44)
  expect(read.after(38).endOf('a', 0, 100)).toBe(2)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEntries, encodeEntries, entriesAfter, type NewEntry, readEntries, TextEntries } from './entry-text'
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
        log: [...log.after(0)],
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
  expect([...log.after(39_998)].map((entry) => entry.seq)).toEqual([39_999, 40_000])
})

import { expect, test } from 'vitest'
import { EntryLog } from './entry-log'
import { encodeEntries, readEntries, TextEntries } from './entry-text'
import type { LogEntry } from './log'

const entry = (seq: number, data = 'x'): LogEntry => ({ kind: 'event', seq, at: seq, event: 'custom', data })
function textOf(first: number, count: number, data = 'x'): TextEntries {
  const entries = readEntries(
    encodeEntries(
      first,
      Array.from({ length: count }, (_, n) => entry(first + n, data)),
    ),
  )
  return entries instanceof TextEntries ? entries : expect.unreachable()
}

test('a text is counted once, however many of its entries are taken at a time', () => {
  const log = new EntryLog(1e9)
  const entries = textOf(1, 40)
  log.take(entries, 10)
  expect([log.first, log.last, log.length]).toEqual([1, 10, 10])
  expect(log.at(11)).toBeUndefined()
  const { bytes } = log
  expect(bytes).toBe(entries.size + 160 * 40)
  log.take(entries, 40)
  expect([log.bytes, log.last]).toEqual([bytes, 40])
  log.take(textOf(41, 40), 40)
  expect([log.bytes > 1.9 * bytes, log.last, log.at(41)?.seq, log.at(80)?.seq, log.at(81)]).toEqual([
    true,
    80,
    41,
    80,
    undefined,
  ])
})

test('entries of a text stay the same objects while a page shows them, and many others are forgotten', () => {
  const log = new EntryLog(1e9)
  log.take(textOf(1, 600), 600)
  const seen = log.at(7)
  expect(seen).toEqual(entry(7))
  for (let seq = 10; seq < 110; seq++) log.at(seq)
  expect(log.at(7)).toBe(seen)
  for (let seq = 100; seq < 500; seq++) log.at(seq)
  expect(log.at(7)).not.toBe(seen)
  expect(log.at(7)).toEqual(seen)
})

test('a log that began late starts at its first entry; texts and single entries mix', () => {
  const log = new EntryLog(1e9)
  log.take(textOf(101, 50), 50)
  log.push(entry(151))
  log.push(entry(152))
  log.take(textOf(153, 40), 40)
  expect([log.first, log.last, log.length]).toEqual([101, 192, 92])
  for (let seq = 101; seq <= 192; seq++) expect(log.at(seq)?.seq).toBe(seq)
  for (let seq = 192; seq >= 101; seq -= 7) expect(log.at(seq)?.seq).toBe(seq)
  expect([log.at(100), log.at(193)]).toEqual([undefined, undefined])
  for (let seq = 100; seq <= 193; seq++) expect(log.peek(seq)).toEqual(log.at(seq))
})

test('a cleared log is empty and another turn', () => {
  const log = new EntryLog(1e9)
  log.take(textOf(1, 40, 'old'), 40)
  expect(log.at(1)).toMatchObject({ data: 'old' })
  log.clear()
  expect([log.first, log.last, log.length, log.bytes, log.turn, log.at(1)]).toEqual([1, 0, 0, 0, 1, undefined])
  log.take(textOf(1, 40, 'new'), 40)
  expect(log.at(1)).toMatchObject({ data: 'new' })
})

test('beyond the budget the oldest blocks go, but never the last two', () => {
  const log = new EntryLog(20_000)
  for (let first = 1; first <= 161; first += 40) log.take(textOf(first, 40), 40)
  expect([log.first, log.last]).toEqual([121, 200])
  expect(log.at(120)).toBeUndefined()
  expect(log.at(121)?.seq).toBe(121)
  const small = new EntryLog(1)
  for (let seq = 1; seq <= 2_000; seq++) small.push(entry(seq))
  expect([small.first, small.at(1)?.seq, small.at(2_000)?.seq]).toEqual([1, 1, 2_000])
  for (let seq = 2_001; seq <= 2_049; seq++) small.push(entry(seq))
  expect(small.first).toBe(1_025)
})

test('the cost of an entry is its data and a little more', () => {
  const log = new EntryLog(1e9)
  log.push(entry(1, 'x'.repeat(1_000)))
  expect(log.bytes).toBe(1_160)
  log.push({ kind: 'joined', seq: 2, at: 2, state: 'x'.repeat(500) })
  expect(log.bytes).toBe(1_320)
})

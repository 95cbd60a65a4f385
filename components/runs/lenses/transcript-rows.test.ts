import { describe, expect, test, vi } from 'vitest'
import { encodeEntries, readEntries } from '@/lib/stream/entry-text'
import type { LogEntry, RecordingOutcome } from '@/lib/stream/log'
import { applyEntries, applyEntry, createRunView } from '@/lib/stream/run-view'
import { FilteredLog } from './event-filter'
import { besideFailure, noResultOf, transcriptRows } from './transcript-rows'

let seq = 0
const event = (name: string, data: unknown): LogEntry => ({
  seq: ++seq,
  at: seq * 10,
  kind: 'event',
  event: name,
  data: JSON.stringify(data),
})
const chunk = (id: string, content: string) =>
  event('messages', [{ type: 'AIMessageChunk', id, content }, { langgraph_node: 'agent' }])
function viewOf(make: () => LogEntry[]) {
  seq = 0
  const view = createRunView()
  for (const entry of make()) applyEntry(view, entry)
  return view
}
const shown = (view: ReturnType<typeof createRunView>) => transcriptRows(view).map((row) => row.marker?.kind ?? row.key)

describe('notices between messages', () => {
  test('gaps, retries and failures appear in time order', () => {
    const view = viewOf(() => [
      event('metadata', { run_id: 'r', attempt: 1 }),
      chunk('a', 'first'),
      { seq: ++seq, at: 100, kind: 'gap', since: 50, reason: 'The stream broke.' },
      chunk('b', 'second'),
      event('metadata', { run_id: 'r', attempt: 2 }),
      chunk('c', 'third'),
      event('error', { error: 'ValueError', message: 'no' }),
      { seq: ++seq, at: 200, kind: 'final', outcome: 'error' },
    ])
    expect(shown(view)).toEqual(['a', 'gap', 'b', 'attempt', 'c', 'error'])
  })

  test('beside a failure card, the failure is not said again', () => {
    const failed = (error: () => LogEntry[], reason: string) =>
      viewOf(() => [chunk('a', 'first'), ...error(), { seq: ++seq, at: 9, kind: 'final', outcome: 'error', reason }])
    const beside = (view: ReturnType<typeof createRunView>) =>
      besideFailure(transcriptRows(view), view).map((row) => row.marker?.kind ?? row.key)
    const told = failed(() => [event('error', { error: 'ValueError', message: 'no' })], 'The state could not be read.')
    expect([shown(told), beside(told)]).toEqual([
      ['a', 'error', 'ended'],
      ['a', 'ended'],
    ])
    const untold = failed(() => [], 'The server reports the run as error.')
    expect([shown(untold), beside(untold)]).toEqual([['a', 'ended'], ['a']])
  })

  test('a late recording says so first', () => {
    const view = viewOf(() => [
      {
        seq: ++seq,
        at: 1,
        kind: 'joined',
        state: '{"values":{"messages":[{"type":"human","id":"h","content":"hi"}]}}',
      },
      chunk('a', 'late'),
    ])
    expect(shown(view)).toEqual(['gap', 'h', 'a'])
    expect(transcriptRows(view)[0]?.marker).toMatchObject({ isSilent: false })
  })

  test('a late recording of a graph without messages says that none are known', () => {
    const view = viewOf(() => [
      { seq: ++seq, at: 1, kind: 'joined', state: '{"values":{"total":2},"next":["add"]}' },
      event('values', { total: 3 }),
    ])
    expect(transcriptRows(view)).toMatchObject([{ marker: { kind: 'gap', isSilent: true } }])
  })
})

describe('filtered log', () => {
  const log = () =>
    viewOf(() => [
      event('metadata', { run_id: 'r', attempt: 1 }),
      event('custom', { Progress: 1 }),
      chunk('a', 'progress report'),
      event('updates|child:1', { node: null }),
    ]).log

  test('shows everything without a filter, and only matching entries with one', () => {
    const seqs = (text: string, modes: string[] = []) => {
      const filtered = new FilteredLog(log(), { text, modes })
      while (!filtered.advance(5));
      return Array.from({ length: filtered.count }, (_, index) => filtered.at(index)?.seq)
    }
    expect(seqs('')).toEqual([1, 2, 3, 4])
    expect(seqs('PROGRESS')).toEqual([2, 3])
    expect(seqs('progress', ['custom'])).toEqual([2])
    expect(seqs('', ['updates'])).toEqual([4])
  })

  test('follows a log that grows or restarts', () => {
    const view = viewOf(() => [event('custom', 'x')])
    const filtered = new FilteredLog(view.log, { text: 'x', modes: [] })
    filtered.advance(5)
    applyEntry(view, event('custom', 'xx'))
    applyEntry(view, event('custom', 'y'))
    filtered.advance(5)
    expect([filtered.count, filtered.indexOf(2), filtered.indexOf(3)]).toEqual([2, 1, -1])
    seq = 0
    applyEntry(view, event('custom', 'x again'))
    filtered.advance(5)
    expect([filtered.count, filtered.at(0)?.seq]).toEqual([1, 1])
  })

  test('folds the chunks of a message into one row, wherever others come between', () => {
    const view = viewOf(() => [
      event('metadata', { run_id: 'r', attempt: 1 }),
      chunk('a', 'Hel'),
      chunk('b', 'Other'),
      chunk('a', 'lo'),
      event('custom', 1),
    ])
    const folded = (unfolded: string[], text = '') => {
      const filtered = new FilteredLog(view.log, { text, modes: [], unfolded: new Set(unfolded) })
      while (!filtered.advance(5));
      return filtered
    }
    const all = folded([])
    const seqs = (filtered: FilteredLog) => Array.from({ length: filtered.count }, (_, row) => filtered.at(row)?.seq)
    expect(seqs(all)).toEqual([1, 2, 3, 5])
    expect(all.foldAt(1)).toMatchObject({ chunks: 2, text: 'Hello', last: 4 })
    expect([all.foldAt(2), all.indexOf(4), all.indexOf(5), all.matches]).toEqual([undefined, 1, 3, 5])
    applyEntry(view, chunk('a', '!'))
    all.advance(5)
    expect([all.count, all.foldAt(1)?.text, all.indexOf(6)]).toEqual([4, 'Hello!', 1])
    expect(seqs(folded([all.foldAt(1)?.key ?? '']))).toEqual([1, 2, 3, 4, 5, 6])
    expect(seqs(folded([], 'other'))).toEqual([3])
  })

  test('a burst is folded without reading its events, and gives the same rows', () => {
    const view = viewOf(() => [])
    const made = Array.from({ length: 6_000 }, (_, index) =>
      index % 2_000 === 999 ? chunk('a', 'x') : event(index < 3_000 ? 'custom' : 'updates|sub', index),
    )
    applyEntries(view, readEntries(encodeEntries(1, made)), 0, () => true)
    const filtered = new FilteredLog(view.log, { text: '', modes: [], unfolded: new Set() })
    const peek = vi.spyOn(view.log, 'peek')
    while (!filtered.advance(50));
    expect(peek.mock.calls.length).toBeLessThan(20)
    expect([filtered.count, filtered.matches, filtered.foldAt(999)?.chunks]).toEqual([5_998, 6_000, 3])
    const rows = Array.from({ length: filtered.count }, (_, row) => filtered.at(row)?.seq)
    expect(rows).toEqual(made.map(({ seq }) => seq).filter((seq) => seq !== 3_000 && seq !== 5_000))
  })

  test('a folded message stays when the log drops its first chunks', () => {
    const view = createRunView({ budgetBytes: 2_000_000 })
    seq = 0
    const filtered = new FilteredLog(view.log, { text: '', modes: [], unfolded: new Set() })
    for (let at = 0; at < 12_000; at++) {
      applyEntry(view, at % 2 ? chunk('a', 'x'.repeat(300)) : event('custom', 'y'))
      if (at % 500 === 499) while (!filtered.advance(50));
    }
    expect(view.log.first).toBeGreaterThan(6_000)
    const rows = Array.from({ length: filtered.count }, (_, row) => filtered.at(row))
    expect(rows).not.toContain(undefined)
    const chunks = rows.flatMap((row, index) => (row?.kind === 'event' && row.event === 'messages' ? [index] : []))
    expect(chunks.map((index) => filtered.foldAt(index)?.chunks)).toEqual([6_000])
    expect(rows.map((row) => row?.seq)).toEqual(rows.map((row) => row?.seq).toSorted((a, b) => (a ?? 0) - (b ?? 0)))
  })
})

test('results may come until the run has ended, and after it if it waits for input', () => {
  const ended = (outcome: RecordingOutcome) => viewOf(() => [{ seq: ++seq, at: 1, kind: 'final', outcome }])
  expect(noResultOf(viewOf(() => [chunk('a', 'first')]))).toBeUndefined()
  expect(noResultOf(ended('waiting'))).toBeUndefined()
  for (const outcome of ['success', 'error', 'cancelled', 'unknown'] as const)
    expect(noResultOf(ended(outcome))).toBe('No result')
})

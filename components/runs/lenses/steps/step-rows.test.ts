import { expect, test } from 'vitest'
import type { TraceRunsPage } from '@/lib/contracts/traces/run-queries'
import type { Track } from '@/lib/stream/steps'
import { Steps } from '@/lib/stream/steps'
import { callsByTask, callsIn } from './model-calls'
import { rowAt, stepRows, trackBars } from './step-rows'

const place = (node: string, seq: number, path = '') => ({
  node,
  namespace: path ? [{ node: path, task: 't' }] : [],
  path,
  seq,
  at: seq * 10,
})
function sample(): Steps {
  const steps = new Steps()
  steps.start(place('outer', 1), 'o')
  steps.start(place('inner', 2, 'outer'), 'i1')
  steps.finish(place('inner', 4, 'outer'), 'i1', 'error', { error: 'no' })
  steps.start(place('inner', 5, 'outer'), 'i2')
  steps.finish(place('inner', 7, 'outer'), 'i2', 'done')
  steps.finish(place('outer', 8), 'o', 'done')
  return steps
}
const nodeOf = (track: Track) => track.node

test('tracks are ordered by their first step; open ones are followed by their steps', () => {
  const rows = stepRows(sample(), (track) => track.node === 'inner', 100)
  expect(rows.map((row) => `${row.kind} ${nodeOf(row.track)}`)).toEqual([
    'track outer',
    'track inner',
    'step inner',
    'step inner',
  ])
  expect(rows[1]).toMatchObject({ summary: { failed: 1, busyMs: 40 } })
  expect(rows[2]).toMatchObject({ step: { error: 'no', status: 'error' } })
})

test('a moment selects the innermost step that was running', () => {
  const rows = stepRows(sample(), () => true, 100)
  const at = (seq: number) => rows[rowAt(rows, seq)]
  expect(at(3)).toMatchObject({ kind: 'step', step: { task: 'i1' } })
  expect(at(6)).toMatchObject({ kind: 'step', step: { task: 'i2' } })
  expect(at(8)).toMatchObject({ kind: 'step', step: { task: 'o' } })
  expect(rowAt(rows, 99)).toBe(-1)
})

test('ten thousand steps of one track become a few bars, with a failure still visible', () => {
  const steps = new Steps()
  for (let at = 0; at < 10_000; at++) {
    steps.start(place('n', at * 2 + 1), `t${at}`)
    steps.finish(place('n', at * 2 + 2), `t${at}`, at === 5_000 ? 'error' : 'done')
  }
  const [track] = steps.tracks.values()
  if (!track) throw new Error('no track')
  const bars = trackBars(track, 0, 200_000)
  expect(bars.length).toBeLessThanOrEqual(401)
  const failed = bars.filter(({ status }) => status === 'error')
  expect(failed).toHaveLength(1)
  expect((failed[0]?.to ?? 1) - (failed[0]?.from ?? 0)).toBeLessThan(0.02)
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(10_000)
})

test('the model calls of a trace are under the innermost step that the stream told of', () => {
  const call = (id: string, path: string) => ({
    id,
    name: 'Model',
    run_type: 'llm',
    extra: { metadata: { graph_checkpoint_ns: path } },
  })
  const runs = [call('a', 'outer:o|inner:i2'), call('b', 'outer:o|unseen:u'), call('c', 'other:x'), call('d', '')]
  const rowsOf = (page: object) => {
    const steps = sample()
    const rows = stepRows(steps, () => true, 100, callsByTask(steps, callsIn(page as TraceRunsPage)))
    return rows.map((row) => (row.kind === 'call' ? row.call.id : row.kind === 'track' ? row.calls : row.step.task))
  }
  expect(rowsOf({ runs })).toEqual([1, 'o', 'b', 1, 'i1', 'i2', 'a'])
  // More than a page: some steps would seem to have none.
  expect(rowsOf({ runs, cursors: { next: 'more' } })).toEqual([0, 'o', 0, 'i1', 'i2'])
})

import { expect, test } from 'vitest'
import { defectsOf } from './server-defects'

const ids = (version: string | null, context = 'js', crons = false) =>
  defectsOf({ version, context, flags: { crons } }).map(({ id }) => id)

test.each(['1.1.17', '1.2.2'])('npm server %s fails runs with values and subgraphs', (version) => {
  expect(ids(version)).toEqual(['values-with-subgraphs', 'kept-context', 'store-by-namespace'])
})

test.each(['2.0.0', '2.0.3'])('npm server %s also calls a cancelled run failed', (version) => {
  expect(ids(version)).toEqual(['values-with-subgraphs', 'kept-context', 'failed-after-cancel', 'store-by-namespace'])
})

test.each(['1.4.3', '1.4.6', '1.5.1'])('npm server %s keeps only the newest context', (version) => {
  expect(ids(version)).toEqual(['kept-context'])
})

test.each(['1.3.0', '1.4.1'])('npm server %s lists items only within a namespace', (version) => {
  expect(ids(version)).toEqual(['kept-context', 'store-by-namespace'])
})

test('Aegra runs new crons at once and leaves questions out of its lists', () => {
  const defects = (version: string, name = 'Aegra') => defectsOf({ name, version, flags: { crons: true } })
  expect(defects('0.11.0').map(({ id }) => id)).toEqual(['cron-runs-at-once', 'threads-without-questions'])
  expect([defects('0.12.0'), defects('0.11.0', 'Another')]).toEqual([[], []])
})

test('newer versions, other servers and unknown versions have no known defect', () => {
  expect([ids('2.1.0'), ids('1.6.0'), ids('0.4.1', 'python'), ids(null), ids('next')]).toEqual([[], [], [], [], []])
})

test('a version is read as a whole', () => {
  expect(ids('12.0.0')).toEqual([])
  expect(ids('1.12.0')).toEqual([])
  expect(ids('v1.1.17')).toEqual([])
})

test('a JavaScript server with crons is not the npm server', () => {
  expect(ids('0.1.0', 'js', true)).toEqual([])
})

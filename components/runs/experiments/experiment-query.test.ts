import { expect, test } from 'vitest'
import type { Experiment } from '@/lib/stream/experiments'
import { experimentQuery } from './experiment-query'

const pair = (state: string, outcome?: string) => ({ state, result: outcome ? { outcome } : null })

test.each([
  ['runs are started', { isRunning: true, pairs: [] }, 1_000],
  ['a run goes on', { isRunning: false, pairs: [pair('running')] }, 1_000],
  ['a run can be answered', { isRunning: false, pairs: [pair('ended', 'waiting')] }, 10_000],
  ['all have ended', { isRunning: false, pairs: [pair('ended', 'success'), pair('ended', 'continued')] }, false],
])('an experiment is read again while %s', (_, data, every) => {
  const { refetchInterval } = experimentQuery('w', 'e')
  const query = { state: { data: data as unknown as Experiment } }
  expect(typeof refetchInterval === 'function' && refetchInterval(query as never)).toBe(every)
})

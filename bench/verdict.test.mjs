import { expect, test } from 'vitest'
import { row as benchRow, median } from './live/rounds.mjs'
import { missesOf } from './verdict.mjs'

const row = (more) => ({ id: 'one', ours: 5, ...more })

test.each([
  ['no goal', row({}), []],
  ['a goal that is met', row({ goal: '<= 5 ms' }), []],
  ['a goal that is missed', row({ goal: '< 5 ms' }), ['5 instead of < 5 ms']],
  ['a goal in seconds beside a peer', row({ goal: '<= 2.3 s', peer: 9, ratio: 0.5 }), ['5 instead of <= 2.3 s']],
  ['a ratio that is met', row({ goal: '<= 0.33', peer: 20, ratio: 0.25 }), []],
  ['a ratio that is missed', row({ goal: '>= 1.0 x', peer: 20, ratio: 0.25 }), ['0.25 instead of >= 1.0 x']],
  ['a ratio with a name', row({ goal: '<= 1.2 x next', peer: 20, ratio: 1.3 }), ['1.3 instead of <= 1.2 x next']],
  ['a count beside a peer', row({ goal: '1', peer: 40, ratio: 0.025 }), ['5 instead of 1']],
  ['a figure that is missing', row({ goal: '<= 5 ms', ours: null }), ['goal <= 5 ms was not measured']],
  ['a figure that is no number', row({ goal: '<= 5 ms', ours: Number.NaN }), ['goal <= 5 ms was not measured']],
  ['a lost event', row({ lost: 1, doubled: 0 }), ['1 lost events']],
  ['a doubled event', row({ lost: 0, doubled: 2 }), ['2 doubled events']],
  ['wrong contents', row({ wrong: 3 }), ['3 wrong contents']],
  ['a time-out', row({ timed_out: 1 }), ['1 time-outs']],
  ['a viewer that did not finish', row({ completed: '19 of 20' }), ['completed 19 of 20']],
  ['viewers that all finished', row({ completed: '20 of 20', opened: '10 of 10' }), []],
])('%s', (_, given, misses) => expect(missesOf(given)).toEqual(misses))

test('a goal that cannot be read is an error', () => {
  expect(() => missesOf(row({ goal: 'fast' }))).toThrow('cannot be read')
})

test('a figure that is no number never gets into a median, and a missing one is a miss', () => {
  expect(() => median([1, Number.NaN, 3])).toThrow('not a number')
  const none = benchRow('reply', 'ms', { rounds: [] }, { goal: '<= 500 ms', timed_out: 2 })
  expect(missesOf(none)).toEqual(['2 time-outs', 'goal <= 500 ms was not measured'])
})

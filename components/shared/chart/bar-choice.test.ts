import { expect, test } from 'vitest'
import { chosenBars, movedBar } from './bar-choice'

test('a choice goes from its first bar to its last, in either direction', () => {
  expect(chosenBars(undefined, 4)).toEqual({ first: 4, last: 4 })
  expect(chosenBars(2, 4)).toEqual({ first: 2, last: 4 })
  expect(chosenBars(4, 2)).toEqual({ first: 2, last: 4 })
})

test('keys stay within the bars', () => {
  const keys = ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'Enter']
  expect(keys.map((key) => movedBar(key, 1, 3))).toEqual([0, 2, 0, 2, undefined])
  expect(keys.map((key) => movedBar(key, 0, 1))).toEqual([0, 0, 0, 0, undefined])
})

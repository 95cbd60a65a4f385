import { expect, test } from 'vitest'
import { compareOptions } from './option-facts'

const of = (...options: (object | undefined)[]) =>
  compareOptions(options.map((one) => ({ options: one && JSON.stringify(one) })))

test('what all columns set stands once, and each column names what it sets where they differ', () => {
  const config = { recursion_limit: 7 }
  expect(of({ context: { model: 'small', size: 1 }, config }, { context: { model: 'large' }, config })).toEqual({
    same: [{ name: 'Recursion limit', value: '7' }],
    columns: [
      [
        { name: 'context.model', value: 'small' },
        { name: 'context.size', value: '1' },
      ],
      [
        { name: 'context.model', value: 'large' },
        { name: 'context.size', value: undefined },
      ],
    ],
  })
})

test('the configuration of an older graph is its context', () => {
  expect(
    of({ config: { configurable: { a: true }, tags: ['x', 'y'] }, interrupt_before: '*', metadata: { n: 1 } }).same,
  ).toEqual([
    { name: 'context.a', value: 'true' },
    { name: 'Stop before nodes', value: '*' },
    { name: 'Tags', value: 'x, y' },
    { name: 'Metadata', value: '{\n  "n": 1\n}' },
  ])
})

test('experiments of before have no options', () => {
  expect(of(undefined, undefined)).toEqual({ same: [], columns: [[], []] })
})

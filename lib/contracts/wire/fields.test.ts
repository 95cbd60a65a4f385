import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { queryBool, queryCommaList, queryInt, queryList } from './fields'
import { toValidationError } from './http-validation-error'

const problem = (schema: z.ZodType, value: unknown) => {
  const { error } = z.strictObject({ field: schema }).safeParse(value === undefined ? {} : { field: value })
  return error && toValidationError(error as never, 'query').detail.map(({ type, msg }) => `${type}: ${msg}`)
}

describe('a query parameter', () => {
  test.each([
    [5, 5],
    ['5', 5],
    ['+5', 5],
    ['-5', -5],
    ['1234567890123456', 1_234_567_890_123_456],
  ])('%j is an integer', (given, value) => expect(queryInt(-10).parse(given)).toBe(value))
  test.each([true, null, 1.5, ['5'], {}, '', '5a', 'a5', '12345678901234567'])('%j is no integer', (given) =>
    expect(problem(queryInt(-10), given)).toEqual([
      'int_parsing: Input should be a valid integer, unable to parse string as an integer',
    ]),
  )
  test('an integer has bounds', () => {
    expect([1, 3].map((one) => queryInt(1, 3).safeParse(one).success)).toEqual([true, true])
    expect([0, 4].map((one) => queryInt(1, 3).safeParse(one).success)).toEqual([false, false])
  })

  test.each([
    [true, true],
    [false, false],
    ['TRUE', true],
    ['1', true],
    ['False', false],
    ['0', false],
  ])('%j is a boolean', (given, value) => expect(queryBool().parse(given)).toBe(value))
  test.each([1, null, {}, ['true'], '', 'yes', 'toString'])('%j is no boolean', (given) =>
    expect(problem(queryBool(), given)).toEqual([
      'bool_parsing: Input should be a valid boolean, unable to interpret input',
    ]),
  )

  test('a list is one text or several', () => {
    expect(queryList().parse('a,b')).toEqual(['a,b'])
    expect(queryList().parse(['a', 'b'])).toEqual(['a', 'b'])
    expect(queryCommaList().parse(' a, ,b,')).toBe('a,b')
    expect(queryCommaList().parse([' a', '', 'b '])).toBe('a,b')
  })
  test.each([7, null, {}, ['a', 7]])('%j is no list of texts', (given) => {
    for (const schema of [queryList(), queryCommaList()])
      expect(problem(schema, given)).toEqual(['list_type: Input should be a valid list'])
  })
  test('a missing list is missing, not invalid', () => {
    expect(problem(queryList(), undefined)).toEqual(['missing: Field required'])
  })
})

import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { describe, expect, test } from 'vitest'
import { AppError } from '@/lib/errors'
import { isExact, JsonText, MAX_DEPTH, parseJson, parseJsonAround, printJson } from './lossless'

const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,4})?$/)

describe('numbers', () => {
  test('one that a double cannot hold is printed as it came; any other keeps its value', () => {
    fc.assert(
      fc.property(digits, (text) => {
        const printed = printJson(parseJson(text))
        if (isExact(text)) expect(Number(printed)).toBe(Number(text))
        else expect(printed).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })

  test('no digit changes in a round trip, wherever the number is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.string(), (number, key) => {
        const text = `{"deep":[[{${JSON.stringify(key)}:${number}}]],"last":${number}}`
        expect(printJson(parseJson(`${number}`))).toBe(`${number}`)
        expect(printJson(parseJson(text))).toBe(printJson(parseJson(printJson(parseJson(text)))))
        expect(printJson(parseJson(text))).toContain(`:${number}}`)
      }),
    )
  })

  test.each([
    '12345678901234567890',
    '9007199254740993',
    '1000000000000000000000',
    '0.1234567890123456789',
    '1e400',
    '-1E-400',
    '123456789012345678901234567890.5',
  ])('%s is not a double, so its digits are kept', (text) => {
    expect(parseJson(text)).toBeInstanceOf(LosslessNumber)
    expect(printJson(parseJson(`[${text}]`))).toBe(`[${text}]`)
  })

  test.each([
    '0',
    '-1',
    '1.5',
    '1.0',
    '0.1',
    '1e21',
    '1E5',
    '9007199254740992',
    '0.30000000000000004',
    '5e-324',
    '0e999999999999',
    '100000000000000000000',
  ])('%s is a plain number', (text) => {
    expect(parseJson(text)).toBe(Number(text))
  })

  test('minus zero stays minus zero', () => {
    expect(printJson(parseJson('[-0]'))).toBe('[-0]')
  })
})

describe('reading', () => {
  test("equals the engine's result for any JSON", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test("equals the engine's result next to an inexact number", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const both = parseJson(`[12345678901234567890,${text}, {"a" : ${text} }]`) as unknown[]
        expect(printJson(both.slice(1))).toBe(printJson([JSON.parse(text), { a: JSON.parse(text) }]))
      }),
    )
  })

  test('refuses exactly what the engine refuses', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '12345678901234567890',
      '-',
      'e',
      'true',
      'null',
      ' ',
      '"\\u00e9"',
    )
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        const attempt = (read: (text: string) => unknown) => {
          try {
            read(text)
            return 'value'
          } catch (error) {
            return (error as Error).name
          }
        }
        expect(attempt(parseJson)).toBe(attempt(JSON.parse))
      }),
      { numRuns: 2000 },
    )
  })

  test.each(['{"__proto__":{"admin":true},"a":1}', '{"__proto__":{"admin":true},"a":12345678901234567890}'])(
    '%s gives no object a prototype',
    (text) => {
      const value = parseJson(text) as { admin?: boolean }
      expect(value.admin).toBeUndefined()
      expect(({} as { admin?: boolean }).admin).toBeUndefined()
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect({ ...value }.admin).toBeUndefined()
      expect(printJson(value)).toBe(text)
    },
  )

  test.each([
    ['arrays', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
    ['unclosed arrays', (depth: number) => '['.repeat(depth)],
  ])('a million nested %s are refused with an error, not a stack overflow', (_, make) => {
    expect(() => parseJson(make(1_000_000))).toThrow(AppError)
    expect(() => parseJson(make(MAX_DEPTH + 1))).toThrow(/levels deep/)
  })

  test('the deepest allowed nesting is preserved, with and without an inexact number', () => {
    for (const core of ['1', '12345678901234567890']) {
      const text = '['.repeat(MAX_DEPTH) + core + ']'.repeat(MAX_DEPTH)
      expect(printJson(parseJson(text))).toBe(text)
    }
  })

  test('brackets inside strings do not count', () => {
    const text = JSON.stringify('[{"\\'.repeat(100_000))
    expect(parseJson(text)).toBe(JSON.parse(text))
  })
})

describe('printing', () => {
  test('parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.parse(printJson(value))).toEqual(value)
      }),
    )
  })

  test("follows the engine's rules next to such a number", () => {
    const value = {
      big: new LosslessNumber('1'.repeat(30)),
      at: new Date(0),
      none: undefined,
      fn: () => 1,
      list: [undefined, Number.NaN],
      int: 10n ** 20n,
    }
    expect(printJson(value)).toBe(
      `{"big":${'1'.repeat(30)},"at":"1970-01-01T00:00:00.000Z","list":[null,null],"int":100000000000000000000}`,
    )
    expect(printJson(undefined)).toBe('null')
  })

  test('data that only looks like such a number is kept as data', () => {
    const text = '{"isLosslessNumber":true,"value":"1,\\"injected\\":2"}'
    expect(printJson(parseJson(text))).toBe(text)
  })

  test('a cycle is refused with an error', () => {
    const value: Record<string, unknown> = {}
    value.self = value
    expect(() => printJson(value)).toThrow(/levels deep/)
  })
})

describe('a value passed on as text', () => {
  test('is not parsed, whatever it contains, and is printed in place', () => {
    const values = `{"a":1,"a":12345678901234567890,"__proto__":{},"deep":${'['.repeat(2000)}${']'.repeat(2000)},"s":"\\ud800}\\""}`
    const text = `{ "next" : ["}"], "values" : ${values} , "metadata":{"step":1e400}}`
    const read = parseJsonAround(text, 'values') as Record<string, unknown>
    expect(read.values).toEqual(new JsonText(values))
    expect(read.next).toEqual(['}'])
    expect(printJson(read)).toBe(`{"next":["}"],"values":${values},"metadata":{"step":1e400}}`)
  })

  test.each([['[1,2]'], ['{"values":1,"values":2}'], ['{"other":{"values":[3]}}'], ['"values"'], ['{}']])(
    'is parsed whole if it does not occur exactly once: %s',
    (text) => {
      expect(parseJsonAround(text, 'values')).toEqual(JSON.parse(text))
    },
  )

  test.each([['{"values":[1,2'], ['{"values":[1]}}'], ['{"values":1 2}'], ['{"a":1,"values"}'], ['{"values":}']])(
    'in invalid JSON is refused: %s',
    (text) => {
      expect(() => parseJsonAround(text, 'values')).toThrow(SyntaxError)
    },
  )
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseLeniently } from './lenient'

const Schema = z.strictObject({
  name: z.string(),
  command: z.union([z.strictObject({ resume: z.unknown() }), z.strictObject({ goto: z.string() })]).optional(),
  parts: z.array(z.strictObject({ n: z.int() })).optional(),
})

test('unknown keys are removed and reported at any depth', () => {
  const value = { name: 'a', colour: 1, parts: [{ n: 1 }, { n: 2, m: 3 }], command: { lg_name: 'Command', resume: 5 } }
  const { data, ignored } = parseLeniently(Schema, value)
  expect(data).toEqual({ name: 'a', parts: [{ n: 1 }, { n: 2 }], command: { resume: 5 } })
  expect(ignored.sort()).toEqual(expect.arrayContaining(['colour', 'command.lg_name', 'parts.1.m']))
  expect(value.parts[1]).toEqual({ n: 2, m: 3 })
})

test('all other errors are still refused', () => {
  expect(() => parseLeniently(Schema, { name: 1, colour: 1 })).toThrow(z.ZodError)
  expect(() => parseLeniently(Schema, 'text')).toThrow(z.ZodError)
})

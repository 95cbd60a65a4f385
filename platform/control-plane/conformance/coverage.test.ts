import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import type { RowSchemas } from '@/lib/contracts/wire/api'
import type { OperationId } from '../../kernel/wire'

// Reads the tests in this folder, so that a new operation, parameter or field without a test is noticed.

const tests = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.test.ts') && !['coverage.test.ts', 'access.test.ts'].includes(file))
  .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
const text = tests.join('\n')
const called = new Set([...text.matchAll(/\bcall\('(\w+)'/g)].map(([, id]) => id))

test.each(Object.keys(controlPlane))('%s has its own test', (id) => {
  expect(called).toContain(id)
})

/** Names of an object schema's fields, including nested ones. */
function fieldsOf(schema: unknown): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldsOf(schema.unwrap())
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element)
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([name, inner]) => [name, ...fieldsOf(inner)])
}
const fields = Object.keys(controlPlane).flatMap((id) => {
  const { query, body }: RowSchemas = controlPlaneSchemas[id as OperationId]
  return [...fieldsOf(query), ...fieldsOf(body)]
})
/** Fields of a resource spec, whose tests iterate over them. */
const FIGURE = /(_scale|_cpu|_cpu_limit|_mb|_gi|_connections)$|^cpu_limit$/

test.each([...new Set(fields)].filter((name) => !FIGURE.test(name)))(
  'the parameter or field %s is sent by a test',
  (name) => {
    expect(text).toMatch(new RegExp(`\\b${name}\\b`))
  },
)

test('the fields are read from the table, including nested ones', () => {
  expect(fields).toEqual(expect.arrayContaining(['tag_value_ids', 'k8s_namespace', 'mountPropagation', 'cursor']))
})

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { intArray, textArray, uuidArray } from './binary-arrays'

let database: Awaited<ReturnType<typeof testDatabase>>
let client: pg.Client
beforeAll(async () => {
  database = await testDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** The array as PostgreSQL has read it. */
async function read(type: string, array: Buffer): Promise<unknown> {
  const { rows } = await client.query<{ one: unknown }>(`select to_jsonb($1::${type}[]) as one`, [array])
  return rows[0]?.one
}

test('PostgreSQL reads the arrays as they were given', async () => {
  const ids = Array.from({ length: 300 }, () => randomUUID())
  expect(await read('uuid', uuidArray(ids))).toEqual(ids)
  expect(await read('uuid', uuidArray([]))).toEqual([])
  const numbers = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]
  expect(await read('int', intArray(numbers))).toEqual(numbers)
  expect(await read('text', textArray(['a', null, Buffer.from('{"b":"\\"🚢"}'), '']))).toEqual([
    'a',
    null,
    '{"b":"\\"🚢"}',
    '',
  ])
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null))
  const storable = text.filter((one) => !one?.includes('\0'))
  await fc.assert(
    fc.asyncProperty(fc.array(storable), async (texts) => {
      expect(await read('text', textArray(texts))).toEqual(
        texts.map((one) => (one === null ? null : String(Buffer.from(one)))),
      )
    }),
    { numRuns: 50 },
  )
})

import { describe, expect, test } from 'vitest'
import { addFilter } from '../store/item-filter'
import { checkPlace, type ItemError } from '../store/item-rules'
import { BackpressureQueue } from './backpressure-queue'
import { conditionsOf, meets } from './conditions'
import { batches, orderAndPage, pageHeaders, select, Where } from './listing'

describe('a statement', () => {
  test('numbers its placeholders over all conditions', () => {
    const where = new Where()
    expect(where.text).toBe('')
    where.add('a = $? or b = $?', 1, 'x').addIf(null, 'c = $?').addIf(undefined, 'd = $?').addIf(0, 'e = $?')
    where.addIf('given', 'f @> $?', ['bound'])
    expect(where.text).toBe('where a = $1 or b = $2 and e = $3 and f @> $4')
    expect(where.values).toEqual([1, 'x', 0, ['bound']])
  })

  test('is sorted by a column and then by id, and has a page', () => {
    expect(orderAndPage({}, 'created_at', 'id')).toBe('order by created_at desc, id desc limit 10 offset 0')
    expect(orderAndPage({ limit: 5, offset: 20, sort_by: 'name', sort_order: 'asc' }, 'created_at', 'id')).toBe(
      'order by name asc, id asc limit 5 offset 20',
    )
    expect(orderAndPage({ limit: 0, sort_order: 'desc' }, 'a', 'b')).toBe('order by a desc, b desc limit 0 offset 0')
  })

  test('tells the total, and where the next page begins', () => {
    expect(pageHeaders({ offset: 10 }, 10, 21)).toEqual({ 'X-Pagination-Total': '21', 'X-Pagination-Next': '20' })
    expect(pageHeaders({ offset: 10 }, 10, 20)).toEqual({ 'X-Pagination-Total': '20' })
    expect(pageHeaders({}, 0, 0)).toEqual({ 'X-Pagination-Total': '0' })
  })

  test('gives the requested fields, or all', () => {
    const record = { a: 1, b: 2, c: 3 }
    expect(select(record, ['c', 'a', 'x'])).toEqual({ a: 1, c: 3 })
    for (const none of [[], null, undefined]) expect(select(record, none)).toBe(record)
  })

  test('may have its rows in batches', () => {
    expect(batches([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
    expect([batches([1, 2], 2), batches([], 2)]).toEqual([[[1, 2]], []])
  })
})

describe('the filter of an auth handler', () => {
  test('becomes one condition for each key and operator', () => {
    expect(
      conditionsOf({ owner: 'x', tags: { $contains: 'a' }, both: { $eq: 1, $contains: ['b', 'c'] }, none: null }),
    ).toEqual(['{"owner":"x"}', '{"tags":["a"]}', '{"both":1}', '{"both":["b","c"]}', '{"none":null}'])
    expect(conditionsOf({ a: { $eq: undefined }, b: undefined })).toEqual(['{"a":null}', '{"b":null}'])
    expect(conditionsOf({})).toEqual([])
    expect(meets('metadata')).toBe('metadata @> all($?::text[]::jsonb[])')
  })
  test('is refused with an operator that would be ignored', () => {
    expect(() => conditionsOf({ owner: { $ne: 'x' } })).toThrow('unknown operator $ne')
  })
})

describe('the filter of an item search', () => {
  const filtered = (filter: Record<string, unknown>) => {
    const where = new Where()
    addFilter(where, filter)
    return [where.text.replace('where ', ''), where.values]
  }
  test.each<[Record<string, unknown>, string, unknown[]]>([
    [{ a: 1 }, 'fields -> $1 = $2::jsonb', ['a', '1']],
    [{ a: null }, 'fields -> $1 = $2::jsonb', ['a', 'null']],
    [{ a: [1] }, 'fields -> $1 = $2::jsonb', ['a', '[1]']],
    [{ a: { $ne: 'x' } }, 'fields -> $1 is distinct from $2::jsonb', ['a', '"x"']],
    [{ a: { b: 1 } }, 'fields @> $1::jsonb', ['{"a":{"b":1}}']],
    [{ a: {} }, 'fields @> $1::jsonb', ['{"a":{}}']],
    [
      { a: { $gt: 1 } },
      '(fields -> $1 > $2::jsonb and jsonb_typeof(fields -> $3) = jsonb_typeof($4::jsonb))',
      ['a', '1', 'a', '1'],
    ],
    [{ a: { $in: [1] } }, 'fields -> $1 in (select jsonb_array_elements($2::jsonb))', ['a', '[1]']],
    [{ a: { $exists: false } }, '(fields ? $1) = $2::jsonb::boolean', ['a', 'false']],
    [
      { a: { $gte: 1, $lt: 2 } },
      '(fields -> $1 >= $2::jsonb and jsonb_typeof(fields -> $3) = jsonb_typeof($4::jsonb)) and (fields -> $5 < $6::jsonb and jsonb_typeof(fields -> $7) = jsonb_typeof($8::jsonb))',
      ['a', '1', 'a', '1', 'a', '2', 'a', '2'],
    ],
  ])('%j is %s', (filter, text, values) => {
    expect(filtered(filter)).toEqual([text, values])
  })
  test.each([
    [{ a: { $like: 'x' } }, '"$like" is not an operator'],
    [{ a: { toString: 1, $eq: 1 } }, '"toString" is not an operator'],
    [{ a: { $in: 1 } }, '"$in" takes a list'],
    [{ a: { $nin: {} } }, '"$nin" takes a list'],
    [{ a: { $exists: 1 } }, '"$exists" takes true or false'],
  ])('%j is refused', (filter, message) => {
    expect(() => filtered(filter)).toThrow(message)
  })
})

describe('the place of an item', () => {
  test('is a namespace and a key, or a prefix of it', () => {
    for (const given of [
      [['a', 'b'], 'k'],
      [[], undefined],
      [['a'], ''],
      [['a', 'langgraph'], 'k'],
      [['x'.repeat(1_997)], 'kk'],
    ] as const)
      expect(() => checkPlace('namespace', given[0], given[1])).not.toThrow()
  })
  test.each<[string[], string | undefined, string, string]>([
    [[], 'k', 'namespace', 'at least one part'],
    [['a', ''], 'k', 'namespace', 'non-empty string'],
    [[7 as never], 'k', 'namespace', 'non-empty string'],
    [['a.b'], undefined, 'namespace', 'contains a period'],
    [['a\0b'], undefined, 'namespace', 'null character'],
    [['langgraph'], 'k', 'namespace', 'is reserved'],
    [['langgraph', 'a'], undefined, 'namespace', 'is reserved'],
    [['a'], 'k\0', 'key', 'null character'],
    [['x'.repeat(1_998)], 'kk', 'namespace', 'more than 2000 bytes'],
    [['é'.repeat(1_000)], 'k', 'namespace', 'more than 2000 bytes'],
  ])('%# is refused', (namespace, key, field, message) => {
    const check = () => checkPlace('namespace', namespace, key)
    expect(check).toThrow(message)
    try {
      check()
    } catch (error) {
      expect([(error as ItemError).field, (error as ItemError).name]).toEqual([field, 'ItemError'])
    }
  })
})

describe('a queue with back-pressure', () => {
  /** What the promise has resolved to by the next turn of the event loop. */
  const atOnce = <T>(promise: Promise<T>) =>
    Promise.race([promise, new Promise<string>((resolve) => setImmediate(() => resolve('waits')))])

  test('gives all that is queued, and lets its producers go on only then', async () => {
    const queue = new BackpressureQueue<number>()
    const done: number[] = []
    for (const value of [1, 2]) void queue.put(value).then(() => done.push(value))
    expect([await atOnce(Promise.resolve(0)), done]).toEqual([0, []])
    expect(await atOnce(queue.take(10_000))).toEqual([1, 2])
    await Promise.resolve()
    expect(done).toEqual([1, 2])
  })
  test('waits for the next item, or for so long', async () => {
    const queue = new BackpressureQueue<number>()
    expect(await queue.take(1)).toEqual([])
    const taken = queue.take(10_000)
    expect(await atOnce(taken)).toBe('waits')
    void queue.put(7)
    expect(await atOnce(taken)).toEqual([7])
  })
  test('that failed gives what it has and then its failure, the first one', async () => {
    const queue = new BackpressureQueue<number>()
    void queue.put(1)
    queue.fail(new Error('first'))
    queue.fail(new Error('second'))
    expect(await atOnce(queue.take(10_000))).toEqual([1])
    for (let again = 0; again < 2; again++) await expect(atOnce(queue.take(10_000))).rejects.toThrow('first')
    const other = new BackpressureQueue<number>()
    const taken = other.take(10_000)
    other.fail(new Error('while waiting'))
    await expect(atOnce(taken)).rejects.toThrow('while waiting')
  })
  test('that is closed releases everybody, and takes nothing more', async () => {
    const queue = new BackpressureQueue<number>()
    const waiting = queue.put(1)
    queue.close()
    expect(await atOnce(waiting)).toBeUndefined()
    expect(await atOnce(queue.put(2))).toBeUndefined()
    expect(await atOnce(queue.take(10_000))).toEqual([])
    const other = new BackpressureQueue<number>()
    const taken = other.take(10_000)
    other.close()
    expect(await atOnce(taken)).toEqual([])
  })
})

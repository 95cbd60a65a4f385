import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { describe, expect, test } from 'vitest'
import { FastSerializer, mayBeLarge, takeTurns } from './serde'

/** What the library's serializer is asked for; it answers with its own type. */
const asked: unknown[] = []
const general: SerializerProtocol = {
  async dumpsTyped(value) {
    asked.push(value)
    return ['general', new Uint8Array()]
  },
  async loadsTyped(type, data) {
    asked.push([type, data])
    return 'by the library'
  },
}
const serde = new FastSerializer(general)

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { value }
  return value
}

describe('a value', () => {
  test.each<[string, unknown]>([
    ['an object', { a: [1, -0.5, 'x', true, false, null], b: { c: {} } }],
    ['text', 'x'],
    ['null', null],
    ['an empty list', []],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['a deep value', nested(100)],
  ])('that is plain JSON is stored and read as it is: %s', async (_, value) => {
    const [type, data] = await serde.dumpsTyped(value)
    expect([type, Buffer.from(data).toString()]).toEqual(['json', JSON.stringify(value)])
    expect(await serde.loadsTyped(type, data)).toEqual(JSON.parse(JSON.stringify(value)))
  })

  class Own {
    a = 1
  }
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a field without a value', { a: undefined }],
    ['not a number', [Number.NaN]],
    ['infinity', { a: Number.POSITIVE_INFINITY }],
    ['a big integer', 1n],
    ['a function', { a: () => 1 }],
    ['a date', { when: new Date(0) }],
    ['an object of a class', [new Own()]],
    ['a map', new Map()],
    ['an object with a JSON form of its own', { toJSON: () => 1 }],
    ['a very deep value', nested(102)],
  ])('of another kind is left to the library: %s', async (_, value) => {
    asked.length = 0
    expect((await serde.dumpsTyped(value))[0]).toBe('general')
    expect(asked).toEqual([value])
  })

  test('that contains itself is left to the library', async () => {
    const loop: Record<string, unknown> = {}
    loop.loop = loop
    expect((await serde.dumpsTyped(loop))[0]).toBe('general')
  })
})

describe('a stored value', () => {
  const bytes = (text: string) => Buffer.from(text)

  test('is read from text, and from a part of a larger buffer', async () => {
    expect(await serde.loadsTyped('json', '{"a":1}')).toEqual({ a: 1 })
    const large = bytes('xx{"a":1}yy')
    expect(await serde.loadsTyped('json', large.subarray(2, 9))).toEqual({ a: 1 })
  })

  test('of the library’s own kinds is read by the library', async () => {
    asked.length = 0
    expect(await serde.loadsTyped('bytes', bytes('x'))).toBe('by the library')
    const message = '{"lc":1,"type":"constructor"}'
    expect(await serde.loadsTyped('json', bytes(message))).toBe('by the library')
    expect(asked).toEqual([
      ['bytes', bytes('x')],
      ['json', message],
    ])
  })
})

describe('large values', () => {
  test.each<[string, unknown, boolean]>([
    ['a short text', 'x'.repeat(200_000), false],
    ['a long text', 'x'.repeat(200_001), true],
    ['long texts together', { a: 'x'.repeat(150_000), b: ['y'.repeat(50_001)] }, true],
    ['many values', Array.from({ length: 501 }, () => 1), true],
    ['some values', Array.from({ length: 499 }, () => 1), false],
    ['many values deep inside', { a: { b: Array.from({ length: 600 }, () => 1) } }, true],
    ['null', null, false],
    ['a number', 5, false],
    ['nothing', undefined, false],
  ])('%s may be large: %s', (_, value, isLarge) => {
    expect(mayBeLarge(value)).toBe(isLarge)
  })

  test('each get a turn of the event loop, one after the other; small ones need none', async () => {
    expect([takeTurns(0), takeTurns(200_000)]).toEqual([undefined, undefined])
    const order: string[] = []
    const turns = [takeTurns(200_001), takeTurns()].map((turn, index) => turn?.then(() => order.push(`value ${index}`)))
    setImmediate(() => {
      order.push('request')
      setImmediate(() => order.push('another'))
    })
    await Promise.all(turns)
    expect(order).toEqual(['request', 'value 0', 'another', 'value 1'])
  })

  test('let others go on before they are written', async () => {
    let isTurn = false
    setImmediate(() => {
      isTurn = true
    })
    await serde.dumpsTyped({ text: 'x'.repeat(300_000) })
    expect(isTurn).toBe(true)
  })
})

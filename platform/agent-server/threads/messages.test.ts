import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { encode, encodeEventData, metadataOut, toPlain } from './messages'

describe('runtime values as JSON', () => {
  test('messages are flattened at any depth', () => {
    const call = { name: 'sum', args: { a: 1 }, id: 'c', type: 'tool_call' as const }
    const value = {
      messages: [new HumanMessage('hi'), new AIMessage({ id: 'x', content: '', tool_calls: [call] })],
      deep: [{ one: new ToolMessage({ content: '1', tool_call_id: 'c', name: 'sum' }) }],
      chunk: new AIMessageChunk({
        content: 'a',
        tool_call_chunks: [{ name: 'sum', args: '{', index: 0, type: 'tool_call_chunk' }],
      }),
    }
    expect(JSON.parse(encode(value))).toMatchObject({
      messages: [
        { type: 'human', content: 'hi' },
        { type: 'ai', id: 'x', content: '', tool_calls: [call] },
      ],
      deep: [{ one: { type: 'tool', content: '1', tool_call_id: 'c', name: 'sum' } }],
      chunk: { type: 'ai', content: 'a', tool_call_chunks: [{ name: 'sum', args: '{', index: 0 }] },
    })
    expect(encode(value)).not.toMatch(/"lc"|lc_/)
  })

  test('messages of older versions of the library are flattened too', () => {
    // As in @langchain/core 0.3.2.
    class OldMessage {
      _getType = () => 'human'
      toJSON = () => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: {} })
      toDict = () => ({ type: 'human', data: { content: 'hi', additional_kwargs: {} } })
    }
    expect(JSON.parse(encode([new OldMessage()]))).toEqual([{ type: 'human', content: 'hi', additional_kwargs: {} }])
  })

  test('a message built from another one does not carry its internals', () => {
    const copied = new AIMessage({ ...(new AIMessage({ id: 'x', content: 'hi' }) as unknown as { content: string }) })
    expect(toPlain(copied)).not.toHaveProperty('lc_kwargs')
    expect(toPlain(copied)).toMatchObject({ type: 'ai', id: 'x', content: 'hi' })
  })

  test('values without messages are passed through', () => {
    const value = { a: [1, { b: 'c' }], when: new Date(0) }
    expect(toPlain(value)).toBe(value)
  })

  test('output is one line, even for values that JSON cannot express', () => {
    expect(encode(undefined)).toBe('null')
    expect(encode({ text: 'a\nb', big: 12345678901234567890n, error: new TypeError('no') })).toBe(
      '{"text":"a\\nb","big":"12345678901234567890","error":{"error":"TypeError","message":"no"}}',
    )
  })

  test('a circular value throws, and is marked in its place in an event', () => {
    const loop: Record<string, unknown> = {}
    loop.loop = loop
    expect(() => encode(loop)).toThrow(/circular/)
    expect(JSON.parse(encodeEventData(loop))).toEqual({ __unserializable__: expect.stringMatching(/circular/) })
  })

  test.each([
    ['an object', (loop: object) => ({ loop })],
    ['an array', (loop: object) => [loop]],
    ['a map', (loop: object) => new Map([['loop', loop]])],
    ['a set', (loop: object) => new Set([loop])],
    ['a message', (loop: object) => ({ getType: () => 'ai', toDict: () => ({ type: 'ai', data: { loop } }) })],
  ])('%s that contains itself is refused in words', (_, wrap) => {
    const loop: Record<string, unknown> = {}
    loop.inner = wrap(loop)
    expect(() => toPlain(loop)).toThrow('circular or nested too deeply')
  })

  test('a thousand levels are written, one more is not', () => {
    const nested = (levels: number) => {
      let value: unknown = 1
      for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { value }
      return value
    }
    expect(() => toPlain(nested(1001))).not.toThrow()
    expect(() => toPlain(nested(1002))).toThrow('nested too deeply')
  })

  test('what only resembles a message is passed through', () => {
    const toDict = () => ({ type: 'x', data: {} })
    const getType = () => 'x'
    for (const value of [
      { toDict },
      { getType },
      { toDict, getType: 'x' },
      { toDict: 'x', getType },
      { toDict, type: 'x' },
    ])
      expect(toPlain(value)).toBe(value)
    expect(toPlain({ toDict, getType })).toEqual({ type: 'x' })
  })

  test('a value that has its own JSON is left to that, whatever it contains', () => {
    const own = { toJSON: () => 'own', inner: new AIMessage('hi') }
    expect([toPlain(own), encode(own)]).toEqual([own, '"own"'])
    expect(toPlain({ toJSON: 'a field', inner: new AIMessage('hi') })).toMatchObject({ inner: { type: 'ai' } })
  })

  test('metadata uses our key names', () => {
    expect(metadataOut({ langgraph_node: 'a', run_id: 'r' })).toEqual({ graph_node: 'a', run_id: 'r' })
    expect(metadataOut(undefined)).toBeUndefined()
  })
})

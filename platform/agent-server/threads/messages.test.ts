import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { encode, encodeEventData, metadataOut, toPlain } from './messages'

describe('what the runtime gives, as JSON', () => {
  test('messages are flat, wherever they stand', () => {
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

  test('a message that was built from another one does not carry its insides', () => {
    const copied = new AIMessage({ ...(new AIMessage({ id: 'x', content: 'hi' }) as unknown as { content: string }) })
    expect(toPlain(copied)).not.toHaveProperty('lc_kwargs')
    expect(toPlain(copied)).toMatchObject({ type: 'ai', id: 'x', content: 'hi' })
  })

  test('what holds no message is handed on as it is', () => {
    const value = { a: [1, { b: 'c' }], when: new Date(0) }
    expect(toPlain(value)).toBe(value)
  })

  test('one line, also for what JSON has no form for', () => {
    expect(encode(undefined)).toBe('null')
    expect(encode({ text: 'a\nb', big: 12345678901234567890n, error: new TypeError('no') })).toBe(
      '{"text":"a\\nb","big":"12345678901234567890","error":{"error":"TypeError","message":"no"}}',
    )
  })

  test('a circle is an error, and in an event it is said in its place', () => {
    const loop: Record<string, unknown> = {}
    loop.loop = loop
    expect(() => encode(loop)).toThrow(/circular/)
    expect(JSON.parse(encodeEventData(loop))).toEqual({ __unserializable__: expect.stringMatching(/circular/) })
  })

  test('metadata has our spelling', () => {
    expect(metadataOut({ langgraph_node: 'a', run_id: 'r' })).toEqual({ graph_node: 'a', run_id: 'r' })
    expect(metadataOut(undefined)).toBeUndefined()
  })
})

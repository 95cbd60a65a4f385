import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { MessageEvents } from './message-events'
import { ModelCalls } from './model-calls'

type Json = Record<string, unknown>

/** Messages of a run; `take` returns the events since it was last called. */
function messages() {
  const calls = new ModelCalls()
  const emitted: { namespace: string[]; event: Json; metadata: Json }[] = []
  const events = new MessageEvents(
    calls,
    (namespace, event, metadata) => void emitted.push({ namespace, event, metadata }),
  )
  const take = () => emitted.splice(0).map(({ event }) => event)
  return { calls, events, emitted, take }
}
const chunk = (content: unknown, more: Json = {}) => new AIMessageChunk({ id: 'a', content, ...more } as never)
const namesOf = (events: Json[]) =>
  events.map(({ event, index }) => (index === undefined ? event : `${event} ${index}`))
const deltasOf = (events: Json[]) => events.flatMap(({ delta }) => delta ?? [])
const finished = (events: Json[]) =>
  events.filter(({ event }) => event === 'content-block-finish').map(({ content }) => content)

describe('a streamed message', () => {
  test('starts once with what is known of its model, and sends each chunk at once', async () => {
    const { events, emitted, take } = messages()
    const metadata = { ls_provider: 'p', ls_model_name: 'm', langgraph_node: 'n', other: 1 }
    await events.add(['n:1'], chunk('Hello '), metadata)
    expect(emitted[0]).toEqual({
      ...{ namespace: ['n:1'], metadata },
      event: {
        event: 'message-start',
        id: 'a',
        role: 'ai',
        metadata: { provider: 'p', model: 'm', langgraph_node: 'n' },
      },
    })
    expect(deltasOf(take())).toEqual([{ type: 'text-delta', text: 'Hello ' }])
    await events.add(['n:1'], chunk('you'), metadata)
    expect(take()).toEqual([{ event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: 'you' } }])
    await events.add(['n:1'], chunk(''), metadata)
    expect(take()).toEqual([])
    await events.finish()
    expect(namesOf(take())).toEqual(['content-block-finish 0', 'message-finish'])
    await events.finish()
    expect(take()).toEqual([])
  })

  test('numbers its text, its thoughts and its calls without gaps, whatever numbers the provider gives them', async () => {
    const { events, take } = messages()
    const metadata = {}
    const add = (content: unknown, more?: Json) => events.add(['n:1'], chunk(content, more), metadata)
    await add([{ type: 'thinking', thinking: 'h', index: 0 }])
    await add([{ type: 'thinking', thinking: 'm', index: 0 }])
    await add([{ type: 'text', text: 'Let me ', index: 1 }])
    await add([{ type: 'text', text: 'look', index: 1 }])
    // Providers repeat a call in a form of their own.
    for (const type of ['tool_use', 'input_json_delta', 'function_call', 'tool_call', 'tool_call_chunk'])
      await add([{ type, index: 2 }])
    await add('', { tool_call_chunks: [{ index: 0, id: 'c', name: 'sum', args: '{"a":' }] })
    await add('', { tool_call_chunks: [{ index: 0, args: '1}' }] })
    await add('', { tool_call_chunks: [{ index: 1, id: 'd', name: 'mul', args: '{}' }] })
    await add('', { usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } })
    await events.finish()
    const all = take()
    const starts = all.filter(({ event }) => event === 'content-block-start')
    expect(starts.map(({ index, content }) => [index, (content as Json).type])).toEqual([
      ...[
        [0, 'reasoning'],
        [1, 'text'],
        [2, 'tool_call_chunk'],
        [3, 'tool_call_chunk'],
      ],
    ])
    expect(finished(all)).toMatchObject([
      { type: 'reasoning', reasoning: 'hm' },
      { type: 'text', text: 'Let me look' },
      { type: 'tool_call', id: 'c', name: 'sum', args: { a: 1 } },
      { type: 'tool_call', id: 'd', name: 'mul', args: {} },
    ])
    expect(all.at(-1)).toMatchObject({ event: 'message-finish', usage: { total_tokens: 3 } })
  })

  test('ends when another one of the same call begins', async () => {
    const { events, take } = messages()
    const metadata = {}
    await events.add([], chunk('one'), metadata)
    take()
    await events.add([], chunk('two', { id: 'b' }), metadata)
    const all = take()
    expect(namesOf(all).slice(0, 3)).toEqual(['content-block-finish 0', 'message-finish', 'message-start'])
    expect(all[2]).toMatchObject({ id: 'b' })
  })

  test('ends with its task, or with the run', async () => {
    const { events, emitted } = messages()
    for (const [id, task] of [
      ['a', 'n:1'],
      ['b', 'n:2'],
      ['c', 'm:1'],
    ] as const)
      await events.add(['outer:1', task], chunk('x', { id }), {})
    emitted.length = 0
    await events.finish('n:2')
    const ended = () =>
      emitted.filter(({ event }) => event.event === 'message-finish').map(({ namespace }) => namespace.at(-1))
    expect(ended()).toEqual(['n:2'])
    await events.finish('outer:1')
    expect(ended()).toEqual(['n:2'])
    await events.finish()
    expect(ended()).toEqual(['n:2', 'n:1', 'm:1'])
  })
})

describe('the call of a model', () => {
  /** The model sends a chunk, which arrives in the stream later. */
  const sent = (calls: ModelCalls, message: AIMessageChunk) =>
    calls.handleLLMNewToken('', undefined, 'call', undefined, undefined, { chunk: { message } })

  test('ends its message once it has ended and all chunks have arrived, in either order', async () => {
    const early = messages()
    const [one, two] = [chunk('a'), chunk('b')]
    const metadata = {}
    for (const message of [one, two]) sent(early.calls, message)
    await early.events.add([], one, metadata)
    early.calls.handleLLMEnd(undefined, 'call')
    expect(namesOf(early.take())).not.toContain('message-finish')
    await early.events.add([], two, metadata)
    expect(early.take().at(-1)).toMatchObject({ event: 'message-finish' })

    const late = messages()
    sent(late.calls, one)
    await late.events.add([], one, metadata)
    expect(namesOf(late.take())).not.toContain('message-finish')
    late.calls.handleLLMEnd(undefined, 'call')
    await new Promise((resolve) => setImmediate(resolve))
    expect(late.take().at(-1)).toMatchObject({ event: 'message-finish' })
  })

  test.each([
    [new Error('too long'), 'too long'],
    ['cut', 'cut'],
  ])('that fails ends its message with the reason (%s)', async (error, message) => {
    const { calls, events, emitted } = messages()
    const one = chunk('a')
    const metadata = {}
    sent(calls, one)
    await events.add(['n:1'], one, metadata)
    calls.handleLLMError(error, 'call')
    await new Promise((resolve) => setImmediate(resolve))
    expect(emitted.at(-1)).toEqual({ namespace: ['n:1'], event: { event: 'error', message }, metadata })
    const { length } = emitted
    await events.finish()
    expect(emitted).toHaveLength(length)
  })
})

describe('a whole message', () => {
  test.each([
    ['ai', new AIMessage({ id: 'w', content: 'all' }), 'all'],
    ['human', new HumanMessage({ id: 'w', content: [{ type: 'text', text: 'hi' }] }), 'hi'],
  ])('of %s is complete at once', async (role, message, text) => {
    const { events, take } = messages()
    await events.add([], message, {})
    const all = take()
    expect(all[0]).toEqual({ event: 'message-start', id: 'w', role, metadata: {} })
    expect([finished(all), all.at(-1)]).toMatchObject([[{ type: 'text', text }], { event: 'message-finish' }])
  })

  test('has its tool calls, one block each', async () => {
    const { events, take } = messages()
    const tool_calls = ['c', 'd'].map((id) => ({ id, name: 'sum', args: { of: id } }))
    await events.add([], new AIMessage({ id: 'w', content: '', tool_calls }), {})
    expect(finished(take())).toMatchObject(tool_calls.map((call) => ({ type: 'tool_call', ...call })))
  })

  test('of a tool has a channel of its own', async () => {
    const { events, take } = messages()
    await events.add([], new ToolMessage({ id: 't', content: 'x', tool_call_id: 'c' }), {})
    expect(take()).toEqual([])
  })
})

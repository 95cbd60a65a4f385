import { AIMessage } from '@langchain/core/messages'
import { StreamChannel, type StreamTransformer } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { ProtocolEvents } from './protocol-events'

type Json = Record<string, unknown>
type Told = [method: string, namespace: string[], data: unknown]

/** Events of protocol 2 for a run whose graph has these transformers. */
function protocol(...transformers: Partial<StreamTransformer>[]) {
  const told: Told[] = []
  const factories = transformers.map(
    (one) => () => ({ init: () => ({}), process: () => true, ...one }) as StreamTransformer,
  )
  const events = new ProtocolEvents(
    ({ method, params }) => void told.push([method, params.namespace, params.data]),
    factories,
  )
  const take = (method?: string) => told.splice(0).filter(([one]) => method === undefined || one === method)
  return { events, take }
}
const interrupt = (id: string, value: unknown = 'Well?') => ({ __interrupt__: [{ id, value }] })

describe('what readers cannot tell from a run’s own events later', () => {
  test('is stored, the rest is not', async () => {
    const { events, take } = protocol()
    await events.push([[], 'values', { v: 1 }])
    await events.push([[], 'updates', { node: { v: 1 } }])
    await events.push([[], 'custom', { own: 1 }])
    expect(take()).toEqual([])
    await events.push([
      ['sub:1', 'node:2'],
      'tools',
      { event: 'on_tool_start', toolCallId: 'c', name: 'sum', input: {} },
    ])
    const tools = take('tools')
    expect(tools.map(([method, namespace]) => [method, namespace])).toEqual([['tools', ['sub:1']]])
  })

  test('has messages under the namespace of their graph, and ends them with their task', async () => {
    const { events, take } = protocol()
    await events.push([['node:1'], 'messages', [new AIMessage({ id: 'm', content: 'hi' }), {}]])
    const messages = take('messages')
    expect(messages.length).toBeGreaterThan(2)
    for (const [, namespace] of messages) expect(namespace).toEqual([])
  })

  test('has each question once, however many graphs report it', async () => {
    const { events, take } = protocol()
    await events.push([['sub:1'], 'values', interrupt('a')])
    await events.push([[], 'values', interrupt('a')])
    await events.push([[], 'updates', { __interrupt__: [{ id: 'b', value: { deep: 1 } }, { value: 'no id' }, null] }])
    for (const none of [null, 'text', { __interrupt__: 'text' }, {}]) await events.push([[], 'custom', none])
    expect(take('input.requested')).toEqual([
      ['input.requested', ['sub:1'], { interrupt_id: 'a', payload: 'Well?' }],
      ['input.requested', [], { interrupt_id: 'b', payload: { deep: 1 } }],
    ])
  })
})

describe('a graph’s own transformer', () => {
  test('sends what it pushes to a named channel, under the namespace of the event', async () => {
    const channel = StreamChannel.remote<unknown>('steps')
    const local = StreamChannel.local?.<unknown>()
    const { events, take } = protocol({
      init: () => ({ channel, ...(local && { local }), nothing: null, text: 'x' }),
      process: ({ method }) => {
        if (method === 'updates') channel.push('step')
        local?.push('here only')
        return true
      },
    })
    await events.push([['sub:1'], 'updates', { node: {} }])
    expect(take('custom')).toEqual([['custom', ['sub:1'], { name: 'steps', payload: 'step' }]])
  })

  test('sends what its promises resolve to at the end, but no failures', async () => {
    const init = () => ({
      count: Promise.resolve(3),
      nothing: Promise.resolve(undefined),
      failed: Promise.reject(new Error('no')),
    })
    const { events, take } = protocol({ init })
    await events.end()
    expect(take('custom')).toEqual([['custom', [], { name: 'count', payload: 3 }]])
    const failing = protocol({ init })
    await failing.events.end({ error: new Error('the graph') })
    expect(failing.take('custom')).toEqual([])
  })

  test('may hide an event from readers, and is told how the run ended', async () => {
    const calls: unknown[] = []
    const transformer = {
      process: ({ method }: { method: string }) => method !== 'tools',
      finalize: () => void calls.push('finalized'),
      fail: (error: unknown) => void calls.push(error),
    }
    const { events, take } = protocol({}, transformer)
    await events.push([['node:1'], 'tools', { event: 'on_tool_start', toolCallId: 'c', name: 'sum', input: {} }])
    expect(take('tools')).toEqual([])
    await events.end()
    const error = new Error('no')
    await protocol(transformer).events.end({ error })
    expect(calls).toEqual(['finalized', error])
  })

  test('may emit events of its own, which are stored', () => {
    let push = (_: string, _event: unknown) => {}
    const { take } = protocol({
      onRegister: (emitter: { push: typeof push }) => {
        push = emitter.push.bind(emitter)
      },
    } as never)
    const data: Json = { own: 1 }
    push('custom', { type: 'event', seq: 0, method: 'custom', params: { namespace: ['n'], timestamp: 0, data } })
    expect(take('custom')).toEqual([['custom', ['n'], data]])
  })
})

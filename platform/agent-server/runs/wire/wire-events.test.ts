import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { failureOf, readRpc, rpcProblem, sentenceOf } from '../../protocols/rpc'
import { lastMessageText, messagesOf, textOf } from '../../threads/message-text'
import { encode, encodeEventData, encodeRecord, metadataOut, streamMetadataOut, toPlain } from '../../threads/messages'
import { checkpointOut, interruptOut, openInterrupts, restingStatus, stateOut } from '../../threads/state'
import { eventName, nativeModes, needsEvents, payloadOut, requestedModes } from './wire-events'

describe('stream modes', () => {
  test('are those of the request once each, or values', () => {
    expect(requestedModes(['updates', 'values', 'updates'])).toEqual(['updates', 'values'])
    expect(requestedModes('debug')).toEqual(['debug'])
    for (const none of [null, undefined, []]) expect(requestedModes(none)).toEqual(['values'])
  })
  test('come from a mode of the runtime, or from all its events', () => {
    expect(nativeModes(['messages-tuple', 'values', 'messages', 'events', 'lifecycle', 'tools'])).toEqual([
      ...['messages', 'values', 'tools'],
    ])
    expect([needsEvents(['values', 'messages']), needsEvents(['events']), needsEvents(['messages-tuple'])]).toEqual([
      ...[true, true, false],
    ])
  })
  test('name their events with the namespace, without the task that produced a message', () => {
    expect(eventName('values', [], {})).toBe('values')
    expect(eventName('updates', ['a:1', 'b:2'], {})).toBe('updates|a:1|b:2')
    expect(eventName('messages', ['a:1', 'b:2'], ['message', undefined])).toBe('messages|a:1')
    expect(eventName('tools', ['a:1'], {})).toBe('tools')
  })
  test('name messages of a called task as those of the graph that called it', () => {
    const node = ['__pregel_pull', 'node']
    const call = ['__pregel_push', node, 0, true]
    const name = (path: unknown, ...namespace: string[]) =>
      eventName('messages', namespace, ['message', { langgraph_path: path }])
    expect(name(node, 'sub:1', 'node:2')).toBe('messages|sub:1')
    expect(name(call, 'sub:1', 'node:2', 'task:3')).toBe('messages|sub:1')
    expect(name(['__pregel_push', call, 1, true], 'node:2', 'task:3', 'task:4')).toBe('messages')
    expect(name(['__pregel_push', 0], 'sub:1', 'node:2')).toBe('messages|sub:1')
  })
})

describe('the payload of an event', () => {
  const metadata = { langgraph_node: 'n', langgraph_auth_user: { token: 'canary' }, own: 1 }
  const told = { langgraph_node: 'n', graph_node: 'n', own: 1 }
  const interrupt = { id: 'i', value: 1, when: 'during' }

  test('of a message has its metadata under both names, without the caller', () => {
    expect(payloadOut('messages', ['message', metadata])).toEqual(['message', told])
    expect(payloadOut('messages', ['message', undefined])).toEqual(['message', undefined])
  })
  test('of a task has its interrupts as one list', () => {
    expect(payloadOut('tasks', { id: 't', interrupts: [[interrupt], []], metadata })).toEqual({
      ...{ id: 't', interrupts: [interrupt], metadata: told },
    })
    expect(payloadOut('tasks', { id: 't' })).toStrictEqual({ id: 't', interrupts: [] })
    expect(payloadOut('debug', { type: 'task', step: 1, payload: { id: 't' } })).toEqual({
      ...{ type: 'task', step: 1, payload: { id: 't', interrupts: [] } },
    })
  })
  test('of a checkpoint has places, and neither internals nor the caller', () => {
    const configurable = { thread_id: 't', checkpoint_id: 'c', __pregel: 1, langgraph_auth_user: 'canary', own: 2 }
    const snapshot = {
      config: { configurable, metadata, tags: ['x'], recursion_limit: 5, run_id: 'r', callbacks: () => {} },
      parentConfig: undefined,
      ...{ metadata, values: { a: 1 }, next: ['a'] },
      tasks: [{ id: 't', interrupts: [interrupt], state: { configurable: { thread_id: 't', checkpoint_ns: 's:1' } } }],
    }
    const place = { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c' }
    const out = {
      ...{ parent_config: null, values: { a: 1 }, next: ['a'], checkpoint: place, parent_checkpoint: null },
      config: {
        configurable: { thread_id: 't', checkpoint_id: 'c', own: 2 },
        ...{ metadata: { graph_node: 'n', own: 1 }, tags: ['x'], recursion_limit: 5, run_id: 'r' },
      },
      metadata: { graph_node: 'n', own: 1 },
      tasks: [
        { id: 't', interrupts: [interrupt], checkpoint: { thread_id: 't', checkpoint_ns: 's:1', checkpoint_id: null } },
      ],
    }
    expect(payloadOut('checkpoints', snapshot)).toEqual(out)
    expect(payloadOut('debug', { type: 'checkpoint', payload: snapshot })).toEqual({ type: 'checkpoint', payload: out })
    const bare = payloadOut('checkpoints', { config: {}, tasks: [] }) as Record<string, unknown>
    expect([bare.config, bare.checkpoint]).toStrictEqual([{ configurable: {} }, null])
    const nowhere = payloadOut('checkpoints', { tasks: [{ id: 't' }] })
    expect(nowhere).toMatchObject({ config: null, checkpoint: null, tasks: [{ id: 't', checkpoint: null }] })
  })
  test('of any other mode is passed on itself', () => {
    const payload = { a: 1 }
    for (const mode of ['values', 'updates', 'custom', 'tools']) expect(payloadOut(mode, payload)).toBe(payload)
  })
})

describe('plain values', () => {
  test('have messages flattened at any depth, and share what has none', () => {
    const plain = { a: [1, { b: 'x' }] }
    const state = { messages: [new HumanMessage({ content: 'hi', id: 'h' })], plain }
    const out = toPlain(state) as { messages: unknown[]; plain: unknown }
    expect(out.messages).toMatchObject([{ type: 'human', content: 'hi', id: 'h' }])
    expect([out.plain, state.messages[0] instanceof HumanMessage]).toEqual([plain, true])
    expect(out.plain).toBe(plain)
    expect(toPlain(plain)).toBe(plain)
    expect(toPlain([1, new AIMessage('a'), 2])).toMatchObject([1, { type: 'ai' }, 2])
  })
  test('have no classes of the language', () => {
    expect(toPlain({ big: 12n, map: new Map([['a', 1n]]), set: new Set([1]), error: new TypeError('no') })).toEqual({
      ...{ big: '12', map: { a: '1' }, set: [1], error: { error: 'TypeError', message: 'no' } },
    })
    const date = new Date(0)
    expect(toPlain(date)).toBe(date)
    for (const value of ['x', 1, true, null, undefined]) expect(toPlain(value)).toBe(value)
  })
  test('that are circular are refused as a record, and marked in an event', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    expect(() => encode(circular)).toThrow('circular or nested too deeply')
    expect([encodeEventData(circular), encodeRecord(circular)]).toEqual(
      Array(2).fill('{"__unserializable__":"The data is circular or nested too deeply to be written as JSON."}'),
    )
    expect([encode(undefined), encode({ a: 1 }), encodeEventData('x')]).toEqual(['null', '{"a":1}', '"x"'])
  })
  test('of metadata have our names, without the caller', () => {
    const metadata = { langgraph_step: 1, graph_auth_user: 'canary', a: 2 }
    expect(metadataOut(metadata)).toEqual({ graph_step: 1, a: 2 })
    expect(streamMetadataOut(metadata)).toEqual({ langgraph_step: 1, graph_step: 1, a: 2 })
    for (const none of [null, undefined])
      expect([metadataOut(none), streamMetadataOut(none)]).toEqual([undefined, undefined])
  })
})

describe('the state of a thread', () => {
  const interrupt = { id: 'i', value: new AIMessage('ask'), ns: ['a'] }
  const config = (id: string) => ({ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: id } })
  const inner = { values: { x: 1 }, next: [], tasks: [], metadata: undefined, config: config('inner') }
  const tasks = [
    { id: '1', name: 'a', path: ['p'], interrupts: [interrupt], state: config('sub'), result: { r: 1 } },
    { id: '2', name: 'b', interrupts: [], state: inner, error: new Error('no') },
    { id: '3', name: 'c', interrupts: [], error: 'plain' },
  ]
  const snapshot = {
    ...{ values: { v: 1 }, next: ['a'], tasks, metadata: { langgraph_step: 1 }, createdAt: 'now' },
    ...{ config: config('c'), parentConfig: config('p') },
  } as never

  test('has its tasks, places and open interrupts', () => {
    expect(stateOut(snapshot)).toMatchObject({
      ...{ values: { v: 1 }, next: ['a'], metadata: { graph_step: 1 }, created_at: 'now' },
      ...{ checkpoint: { checkpoint_id: 'c' }, parent_checkpoint: { checkpoint_id: 'p' } },
      interrupts: [{ id: 'i', value: { type: 'ai', content: 'ask' }, ns: ['a'] }],
      tasks: [
        { id: '1', path: ['p'], error: null, checkpoint: { checkpoint_id: 'sub' }, state: null, result: { r: 1 } },
        { id: '2', path: null, error: 'no', checkpoint: { checkpoint_id: 'inner' }, state: { values: { x: 1 } } },
        { id: '3', error: 'plain', checkpoint: null, state: null, result: null },
      ],
    })
    const errors = [null, { code: 1 }, { message: 7 }].map((error) => ({ id: 'e', name: 'e', interrupts: [], error }))
    const out = stateOut({ ...(snapshot as object), tasks: errors } as never) as { tasks: { error: unknown }[] }
    expect(out.tasks.map(({ error }) => error)).toEqual([null, { code: 1 }, '7'])
    const bare = { values: {}, next: [], tasks: [], config: config('c') } as never
    expect(stateOut(bare)).toMatchObject({ metadata: {}, created_at: null, parent_checkpoint: null, interrupts: [] })
  })
  test('waits for the tasks that asked', () => {
    expect(Object.keys(openInterrupts(snapshot))).toEqual(['1'])
    const resting = (next: string[], list: object[]) => restingStatus({ next, tasks: list } as never)
    expect([resting(['a'], []), resting([], []), resting([], [{ interrupts: [interrupt] }])]).toEqual([
      ...['interrupted', 'idle', 'interrupted'],
    ])
    expect(resting([], [{ interrupts: [] }])).toBe('idle')
    expect(resting([], [{ interrupts: [] }, { interrupts: [interrupt] }])).toBe('interrupted')
  })
  test('has places with what is known of them', () => {
    expect(checkpointOut(undefined)).toBeNull()
    expect(checkpointOut({ thread_id: 't' })).toEqual({ thread_id: 't', checkpoint_ns: '', checkpoint_id: null })
    expect(checkpointOut({ thread_id: 't', checkpoint_map: { a: 'b' } })).toHaveProperty('checkpoint_map')
    expect(interruptOut({ id: 'i', value: 1n, more: 2 })).toEqual({ id: 'i', value: '1', more: 2 })
  })
})

test('the text of a message is that of its blocks, and the last one is the agent’s', () => {
  expect(
    textOf(['a', { type: 'text', text: 'b' }, { type: 'text', text: 7 }, { type: 'image', text: 'c' }, null]),
  ).toBe('ab')
  expect([textOf('x'), textOf({}), textOf(undefined)]).toEqual(['x', '', ''])
  const messages = [
    { type: 'ai', content: 'first' },
    { type: 'ai', content: 'last' },
    { type: 'ai', content: '' },
    { type: 'human', content: 'no' },
  ]
  expect(lastMessageText({ messages: [...messages, null, { content: 'no type' }] })).toBe('last')
  expect([lastMessageText({ messages: [] }), lastMessageText(null), messagesOf({ messages: 'x' })]).toEqual(
    Array(3).fill(undefined),
  )
})

describe('a call over JSON-RPC', () => {
  const request = (body: string) => new Request('http://a/', { method: 'POST', body })
  test('is read as JSON, or refused', async () => {
    expect(await readRpc(request('{"id":1}'))).toEqual({ body: { id: 1 } })
    const refused = await readRpc(request('{'), 422)
    if (!('refusal' in refused)) throw new Error('It should be refused.')
    expect([refused.refusal.status, await refused.refusal.json()]).toEqual([
      422,
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error: the body is not JSON' } },
    ])
    expect(rpcProblem(1, 'x').status).toBe(400)
  })
  test('tells what is wrong in a sentence', () => {
    expect(sentenceOf('Not found')).toBe('Not found')
    expect(sentenceOf({ a: 1 })).toBe('{"a":1}')
    const detail = [
      { loc: ['body', 'a', 0], msg: 'Required', type: 'x' },
      { loc: ['body'], msg: 'Bad', type: 'x' },
    ]
    expect(sentenceOf(detail)).toBe('a.0: Required; Bad.')
  })
  test('tells why a run failed, also where a schema did', () => {
    const issues = JSON.stringify([{ path: ['a', 'b'], message: 'Required', code: 'x' }])
    expect(failureOf({ error: 'ZodError', message: issues })).toBe('Invalid input: a.b: Required.')
    expect(failureOf({ error: 'MyZodError', message: issues })).toBe('Invalid input: a.b: Required.')
    expect(failureOf({ error: 'Error', message: issues })).toBe(`Error: ${issues}`)
    for (const message of ['[', '[]', 'x'])
      expect(failureOf({ error: 'ZodError', message })).toBe(`ZodError: ${message}`)
  })
})

import type { Message, Part } from '@a2a-js/sdk'
import { describe, expect, test } from 'vitest'
import { TASK_STATES } from './a2a-tasks'
import { agentOf, created, data, part, payloads, send, THREAD, text, type World } from './testing'

/** What a message starts, and what is refused. */

describe('a message', () => {
  test('starts a run with its text as the conversation and its data as the input', async () => {
    const { agent, of } = agentOf()
    const parts = [text('hi'), data({ topic: 'x' })]
    expect(await agent.sendMessage(send(parts, { contextId: THREAD.toUpperCase() }))).toMatchObject({ id: 't1' })
    expect(of('start')).toEqual([
      [
        'start',
        THREAD,
        {
          assistant_id: 'a1',
          stream_mode: 'updates',
          input: { topic: 'x', messages: [{ role: 'user', content: 'hi', id: 'm1' }] },
          metadata: undefined,
          if_not_exists: 'create',
        },
        { modes: [] },
      ],
    ])
    expect(of('find')).toEqual([['find', 'r9', 'a1']])
    expect(of('read')).toHaveLength(1)
  })

  test('without a context starts a new thread; one with a name of its own is remembered', async () => {
    const { agent, of } = agentOf()
    await agent.sendMessage(send([data({})], { messageId: '' }))
    await agent.sendMessage(send([text('hi')], { messageId: '', contextId: 'my context' }))
    const [[, fresh, first], [, named, second]] = of('start')
    expect([fresh, named]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(fresh).not.toBe(named)
    expect([first.input, first.metadata]).toEqual([{}, undefined])
    expect(second.input).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
    expect(second.metadata).toEqual({ a2a_context_id: 'my context' })
  })

  test('may be answered before the run ends, with as much history as was asked for', async () => {
    const { agent, of } = agentOf()
    const sent = await agent.sendMessage(send([text('hi')], {}, { returnImmediately: true, historyLength: 3 }))
    expect([sent, of('release').length, of('read')]).toMatchObject([{ historyLength: 3 }, 1, []])
  })

  test.each([
    ['no message', { message: undefined } as never, 'no parts'],
    ['no parts', send([]), 'no parts'],
    ['a file', send([text('hi'), part({ $case: 'url', value: 'x' })]), 'only text and data parts'],
  ])('with %s is refused, and nothing starts', async (_, request, message) => {
    const { agent, of } = agentOf()
    await expect(agent.sendMessage(request)).rejects.toThrow(message)
    expect(of('start')).toEqual([])
  })

  test('of text to an agent without a conversation is refused with the fields that it has', async () => {
    const { agent } = agentOf({ fields: ['topic', 'draft'] })
    await expect(agent.sendMessage(send([text('hi')]))).rejects.toThrow('topic, draft.')
    expect(await agentOf({ fields: ['topic'] }).agent.sendMessage(send([data({ topic: 'x' })]))).toBeDefined()
    expect(await agentOf({ fields: ['messages'] }).agent.sendMessage(send([text('hi')]))).toBeDefined()
  })
})

describe('a message to a task that waits', () => {
  const waiting: World = { state: TASK_STATES.inputRequired, found: { metadata: { a2a_context_id: 'mine', other: 1 } } }

  test.each<[string, Part[], unknown]>([
    ['a text', [text('yes')], 'yes'],
    ['data', [data({ ok: true })], { ok: true }],
    ['both', [text('yes'), data({ ok: true })], { ok: true, text: 'yes' }],
  ])('answers it with %s', async (_, parts, resume) => {
    const { agent, of } = agentOf(waiting)
    await agent.sendMessage(send(parts, { taskId: 'T1' }))
    expect(of('start')).toEqual([
      [
        'start',
        THREAD,
        {
          assistant_id: 'a1',
          stream_mode: 'updates',
          command: { resume },
          metadata: { a2a_context_id: 'mine', a2a_task_id: 't1' },
          multitask_strategy: 'reject',
        },
        { modes: [] },
      ],
    ])
    expect(of('find').map(([, id]: [string, string]) => id)).toEqual(['T1', 't1'])
  })

  test('has no context of its own where the task has none', async () => {
    const { agent, of } = agentOf({ state: TASK_STATES.inputRequired })
    await agent.sendMessage(send([text('yes')], { taskId: 't1', contextId: THREAD }))
    expect(of('start')[0][2].metadata).toEqual({ a2a_task_id: 't1' })
  })

  test('is refused in another context, and where the task does not wait or is unknown', async () => {
    const answer = (world: World, more: Partial<Message> = {}) =>
      agentOf(world).agent.sendMessage(send([text('yes')], { taskId: 't1', ...more }))
    await expect(answer(waiting, { contextId: 'other' })).rejects.toThrow('Task t1 belongs to another context.')
    await expect(answer({ state: TASK_STATES.working })).rejects.toThrow('Task t1 is not waiting for a message.')
    await expect(answer({ found: null })).rejects.toThrow('Task t1 not found.')
  })
})

describe('a streamed message', () => {
  const chunk = (id: string, content: unknown, type = 'AIMessageChunk') => ({
    event: 'messages',
    data: [{ id, content, type }, {}],
  })
  const place = { taskId: 'r9', contextId: THREAD }
  const piece = (words: string, append: boolean) => [
    'artifactUpdate',
    {
      ...place,
      metadata: undefined,
      artifact: { artifactId: 'r9-response', parts: [text(words)] },
      append,
      lastChunk: false,
    },
  ]

  test('begins with the task, and goes on with its text, its result and its state', async () => {
    const { agent, of } = agentOf({
      entries: [
        { event: 'metadata', data: {} },
        chunk('m1', 'one '),
        chunk('m1', 'two'),
        chunk('m1', ''),
        chunk('m2', [{ type: 'text', text: 'three' }], 'ai'),
        chunk('m3', 'not the agent', 'human'),
        { event: 'updates', data: {} },
        { event: 'messages|a:1', data: [{ id: 'm4', content: 'inner', type: 'ai' }] },
        { event: 'messages', data: [{ id: 'm5', content: 'untyped' }] },
      ],
    })
    const [first, working, ...rest] = await payloads(agent.sendMessageStream(send([text('hi')], { contextId: THREAD })))
    expect(first).toEqual([
      'task',
      {
        id: 'r9',
        contextId: THREAD,
        status: { state: TASK_STATES.submitted, message: undefined, timestamp: created.toISOString() },
        artifacts: [],
        history: [{ messageId: 'm1', parts: [text('hi')], contextId: THREAD, taskId: 'r9' }],
        metadata: undefined,
      },
    ])
    expect(working).toMatchObject(['statusUpdate', { ...place, status: { state: TASK_STATES.working } }])
    expect(rest).toMatchObject([
      piece('one ', false),
      piece('two', true),
      piece('three', false),
      piece('inner', false),
      ['artifactUpdate', { ...place, artifact: { artifactId: 'final' }, append: false, lastChunk: true }],
      ['statusUpdate', { ...place, status: { state: TASK_STATES.completed } }],
    ])
    expect(of('start')[0].slice(2)).toMatchObject([{ stream_mode: 'messages-tuple' }, { modes: ['messages-tuple'] }])
    expect(of('read')).toEqual([['read', ['messages-tuple']]])
  })

  test('has no history if none is wanted', async () => {
    const history = async (historyLength: number | undefined) => {
      const stream = agentOf().agent.sendMessageStream(send([text('hi')], {}, { historyLength }))
      return (await payloads(stream))[0][1].history.length
    }
    expect([await history(0), await history(1), await history(undefined)]).toEqual([0, 1, 1])
  })

  test('ends without a result if the caller has left', async () => {
    const leave = new AbortController()
    leave.abort()
    const { agent, of } = agentOf({ leave })
    expect(await payloads(agent.sendMessageStream(send([text('hi')])))).toHaveLength(1)
    expect(of('find')).toEqual([])
  })

  test('can be followed again while the task is in progress', async () => {
    const [task, ...rest] = await payloads(agentOf({ artifacts: [] }).agent.resubscribe({ id: 't1' }))
    expect(task).toMatchObject(['task', { id: 't1' }])
    expect(rest).toMatchObject([['statusUpdate', { taskId: 't1', status: { state: TASK_STATES.completed } }]])
    const ended = agentOf({ found: { status: 'success' } }).agent.resubscribe({ id: 't1' })
    await expect(payloads(ended)).rejects.toThrow('Task t1 is not in progress.')
  })
})

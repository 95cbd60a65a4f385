import { describe, expect, test } from 'vitest'
import { type Caller, Caller as CallerClass } from '../auth/caller'
import { HttpError, notFound } from '../kernel/errors'
import type { RunStarter } from '../runs/run-starter'
import { PROTOCOL_EVENT } from '../runs/wire/protocol-events'
import type { Any } from './testing'
import { ThreadCommands } from './thread-commands'
import { firstNumber } from './thread-events'

/** What a command starts, reads and replies, over services of the test; `event-streaming.test.ts` has a server. */

type Json = Record<string, unknown>
type World = {
  /** The open interrupts of the thread, by task. */
  open?: string[][]
  thread?: Json | null
  runs?: Json[]
  /** What the run that executes has streamed. */
  running?: { event: string; data: string }[]
  refusal?: unknown
  state?: Json
  states?: Json[]
}

function commandsOf({ open = [], thread = { metadata: { assistant_id: 'a' } }, runs = [], ...world }: World = {}) {
  const started: Any[] = []
  const read: Any[] = []
  const callers: unknown[] = []
  const starter = {
    as: (caller: unknown) => {
      callers.push(caller)
      return starter
    },
    createEventStream: async (threadId: string, body: unknown) => {
      if (world.refusal) throw world.refusal
      started.push([threadId, body])
      return { run_id: 'r9', thread_id: threadId, ordinal: 9 }
    },
  } as unknown as RunStarter
  const commands = new ThreadCommands({
    starter,
    runs: {
      list: async (id: string, page: Json) => {
        read.push(['runs', id, page])
        if (page.status) return { rows: world.running ? [{ run_id: 'r8' }] : [] }
        return { rows: runs }
      },
      get: async (id: string, threadId: string) => {
        read.push(['run', id, threadId])
        throw notFound('Run', id)
      },
    },
    threads: {
      get: async (id: string) => {
        if (!thread) throw notFound('Thread', id)
        return thread
      },
    },
    states: {
      snapshot: async (...given: unknown[]) => {
        read.push(['snapshot', ...given])
        return {
          tasks: open.map((ids, index) => ({ id: `t${index}`, interrupts: ids.map((id) => ({ id, value: 1 })) })),
        }
      },
      read: async (...given: unknown[]) => {
        read.push(['state', ...given])
        if (world.refusal) throw world.refusal
        return world.state ?? { values: {} }
      },
      history: async (...given: unknown[]) => {
        read.push(['history', ...given])
        return world.states ?? []
      },
    },
    hub: {
      async *stored() {
        yield world.running ?? []
      },
    },
  } as unknown as ConstructorParameters<typeof ThreadCommands>[0])
  const send = async (method: string, params?: Json | null): Promise<Any> =>
    commands.handle('T', { id: 1, method, params })
  return { commands, send, started, read, callers }
}
const fixed = {
  stream_mode: ['values', 'updates', 'messages-tuple', 'tools', 'custom', 'tasks'],
  stream_subgraphs: true,
  stream_resumable: true,
  if_not_exists: 'create',
}
const startedRun = { type: 'success', id: 1, meta: { thread_id: 'T', applied_through_seq: firstNumber(9) } }

describe('run.start', () => {
  test('starts a run that sends every kind of event, after those in the queue', async () => {
    const { send, started } = commandsOf()
    const metadata = { a: 1 }
    const params = { assistant_id: 'x', input: { q: 1 }, metadata, context: { b: 2 }, colour: 'red' }
    expect(await send('run.start', params)).toEqual({ ...startedRun, result: { run_id: 'r9' } })
    const body = { assistant_id: 'x', input: { q: 1 }, metadata, context: { b: 2 } }
    expect(started).toEqual([['T', { ...fixed, ...body, multitask_strategy: 'enqueue' }]])
  })

  test.each([
    [{ multitask_strategy: 'reject' }, 'reject'],
    [{ multitaskStrategy: 'rollback' }, 'rollback'],
    [{ multitask_strategy: 'reject', multitaskStrategy: 'rollback' }, 'reject'],
    [{ multitask_strategy: null }, 'enqueue'],
  ])('with %j has the strategy %s', async (given, multitask_strategy) => {
    const { send, started } = commandsOf()
    await send('run.start', { assistant_id: 'x', ...given })
    expect(started[0][1]).toMatchObject({ multitask_strategy })
  })

  test('with an input answers a thread that waits, and without one just goes on', async () => {
    const { send, started, read } = commandsOf({ open: [['i1']] })
    await send('run.start', { assistant_id: 'x', input: false })
    expect(started[0][1]).toMatchObject({ command: { resume: false } })
    expect(started[0][1]).not.toHaveProperty('input')
    expect(read).toContainEqual(['snapshot', { metadata: { assistant_id: 'a' } }, undefined, true])
    for (const input of [null, undefined]) await send('run.start', { assistant_id: 'x', input })
    for (const [, body] of started.slice(1)) expect(body).not.toHaveProperty('command')
  })

  test('creates a thread that does not exist', async () => {
    const { send, started } = commandsOf({ thread: null })
    expect(await send('run.start', { assistant_id: 'x', input: 1 })).toMatchObject({ type: 'success' })
    expect(started[0][1]).toMatchObject({ input: 1 })
  })

  test('begins at the checkpoint that the configuration names', async () => {
    const { send, started } = commandsOf()
    const config = { tags: ['a'], configurable: { checkpoint_id: 'c', model: 'm' } }
    await send('run.start', { assistant_id: 'x', config })
    expect(started[0][1]).toMatchObject({
      config: { tags: ['a'], configurable: { model: 'm' } },
      checkpoint: { checkpoint_id: 'c' },
    })
    expect(started[0][1].config.configurable).not.toHaveProperty('checkpoint_id')
    await send('run.start', { assistant_id: 'x', config: { configurable: { checkpoint_id: 7 } } })
    await send('run.start', { assistant_id: 'x', config: null })
    expect(started[1][1]).not.toHaveProperty('checkpoint')
    expect(started[2][1].config ?? undefined).toBeUndefined()
  })

  test('is refused by what is wrong with it', async () => {
    const { send, started } = commandsOf()
    expect(await send('run.start')).toMatchObject({
      type: 'error',
      id: 1,
      error: 'invalid_argument',
      message: expect.stringMatching(/^assistant_id: ./),
    })
    expect(await send('run.start', { assistant_id: '' })).toMatchObject({ error: 'invalid_argument' })
    expect(await send('run.start', { assistant_id: 'x', config: 1 })).toMatchObject({
      message: expect.stringMatching(/^config: /),
    })
    expect(await send('run.start', { assistant_id: 'x', multitask_strategy: 'no' })).toMatchObject({
      message: expect.stringMatching(/^multitask_strategy: /),
    })
    expect(started).toEqual([])
  })
})

describe('input.respond', () => {
  test('answers one interrupt or several, with what else the graph is told', async () => {
    const { send, started } = commandsOf({ open: [['i1'], ['i2', 'i3']] })
    const more = { update: { a: 1 }, goto: 'node', config: { tags: ['x'] }, metadata: { b: 1 } }
    expect(await send('input.respond', { interrupt_id: 'i2', response: 'yes', ...more })).toEqual({
      ...startedRun,
      result: { run_id: 'r9' },
    })
    expect(started[0][1]).toMatchObject({
      ...fixed,
      assistant_id: 'a',
      command: { resume: { i2: 'yes' }, update: { a: 1 }, goto: 'node' },
      config: { tags: ['x'], configurable: {} },
      metadata: { b: 1 },
      multitask_strategy: 'enqueue',
    })
    const responses = [
      { interrupt_id: 'i1', response: 1 },
      { interrupt_id: 'i3', response: null },
    ]
    await send('input.respond', { responses, update: null })
    expect(started[1][1].command).toEqual({ resume: { i1: 1, i3: null } })
  })

  test('may come before the run that asks has stored its question, and from then on', async () => {
    const event = (method: string, data: Json) => ({
      event: PROTOCOL_EVENT,
      data: JSON.stringify({ method, params: { namespace: [], data } }),
    })
    const asks = event('input.requested', { interrupt_id: 'i1', payload: 1 })
    const quotes = event('custom', { interrupt_id: 'i2', payload: 'input.requested' })
    const token = { event: 'messages', data: 'input.requested' }
    const { send, started } = commandsOf({ running: [token, quotes, asks] })
    expect(await send('input.respond', { interrupt_id: 'i1', response: 'yes' })).toMatchObject({ type: 'success' })
    await send('run.start', { assistant_id: 'x', input: 'no' })
    expect(started.map(([, { command }]) => command)).toEqual([{ resume: { i1: 'yes' } }, { resume: 'no' }])
    expect(await send('input.respond', { interrupt_id: 'i2' })).toMatchObject({
      message: 'Interrupt i2 is not open. Open interrupts: i1.',
    })
  })

  test.each<[World, Json, string, string]>([
    [{}, {}, 'invalid_argument', 'input.respond needs an interrupt_id.'],
    [{}, { responses: [] }, 'invalid_argument', ''],
    [{}, { interrupt_id: 'i' }, 'no_such_run', 'No run of this thread is waiting for an answer.'],
    [{ thread: null }, { interrupt_id: 'i' }, 'no_such_run', 'No run of this thread is waiting for an answer.'],
    [
      { open: [['i1'], ['i2']] },
      { responses: [{ interrupt_id: 'i1' }, { interrupt_id: 'x' }] },
      'no_such_interrupt',
      'Interrupt x is not open. Open interrupts: i1, i2.',
    ],
    [
      { open: [['i1']], thread: { metadata: {} } },
      { interrupt_id: 'i1' },
      'no_such_run',
      'No assistant has run on this thread yet.',
    ],
  ])('on %j with %j is refused', async (world, params, error, message) => {
    const { send, started } = commandsOf(world)
    expect(await send('input.respond', params)).toMatchObject({
      type: 'error',
      id: 1,
      error,
      message: message || expect.any(String),
    })
    expect(started).toEqual([])
  })
})

describe('state', () => {
  test('is read as a whole or by keys, with its checkpoint', async () => {
    const state = { values: { a: 1, b: undefined, c: 3 }, checkpoint: { checkpoint_id: 'c1', checkpoint_ns: '' } }
    const { send, read } = commandsOf({ state, runs: [{ ordinal: 4 }] })
    expect(await send('state.get')).toEqual({
      type: 'success',
      id: 1,
      result: { values: state.values, checkpoint: { id: 'c1', ns: '' } },
      meta: { thread_id: 'T', applied_through_seq: firstNumber(4) },
    })
    expect((await send('state.get', { keys: ['a', 'b', 'x'] })).result.values).toEqual({ a: 1 })
    await send('state.get', { namespace: ['a:1', 'b:2'] })
    await send('state.get', { namespace: [] })
    expect(read.filter(([kind]) => kind === 'state')).toEqual([
      ['state', 'T', undefined],
      ['state', 'T', undefined],
      ['state', 'T', { checkpoint_ns: 'a:1|b:2' }],
      ['state', 'T', undefined],
    ])
    expect(read.find(([kind]) => kind === 'runs')).toEqual(['runs', 'T', { limit: 1 }])
  })

  test('of a thread without runs has no checkpoint, and no number', async () => {
    const { send } = commandsOf({ state: { values: null, checkpoint: null } })
    expect(await send('state.get')).toEqual({
      type: 'success',
      id: 1,
      result: { values: {} },
      meta: { thread_id: 'T', applied_through_seq: 0 },
    })
  })

  test('has its checkpoints listed, newest first, by page', async () => {
    const metadata = { step: 3, source: 'loop' }
    const states = [{ checkpoint: { checkpoint_id: 'c1' }, created_at: 'now', metadata }]
    const { send, read } = commandsOf({ states })
    expect((await send('state.listCheckpoints', { namespace: ['a', 'b'], limit: 2, before: 'c9' })).result).toEqual({
      checkpoints: [{ id: 'c1', timestamp: 'now', step: 3, metadata }],
    })
    await send('state.listCheckpoints', { before: null, namespace: [] })
    expect(read.filter(([kind]) => kind === 'history')).toEqual([
      ['history', 'T', { limit: 2, before: 'c9', checkpoint: { checkpoint_ns: 'a|b' } }],
      ['history', 'T', { limit: undefined, before: undefined, checkpoint: undefined }],
    ])
    for (const limit of [0, 1001, 1.5])
      expect(await send('state.listCheckpoints', { limit })).toMatchObject({ error: 'invalid_argument' })
  })

  test('is forked from a checkpoint by the assistant that ran last', async () => {
    const { send, started } = commandsOf()
    const params = { checkpoint_id: 'c1', input: { q: 1 }, metadata: { a: 1 } }
    expect(await send('state.fork', params)).toEqual({ ...startedRun, result: { run_id: 'r9', thread_id: 'T' } })
    expect(started[0][1]).toMatchObject({
      ...fixed,
      assistant_id: 'a',
      input: { q: 1 },
      metadata: { a: 1 },
      checkpoint: { checkpoint_id: 'c1' },
    })
    expect(await send('state.fork', { checkpoint_id: '' })).toMatchObject({ error: 'invalid_argument' })
  })
})

describe('agent.getTree', () => {
  test('has the tree of the named run, or of the newest one', async () => {
    const { send, read } = commandsOf({ runs: [{ run_id: 'r1', status: 'success', graph_id: 'g', ordinal: 1 }] })
    expect((await send('agent.getTree')).result).toEqual({
      tree: { namespace: [], status: 'completed', graph_name: 'g' },
    })
    expect(await send('agent.getTree', { run_id: 'r7' })).toMatchObject({
      error: 'no_such_run',
      message: 'Run r7 not found.',
    })
    expect(read).toContainEqual(['run', 'r7', 'T'])
    expect(await commandsOf().send('agent.getTree')).toMatchObject({ message: 'This thread has no run.' })
  })
})

describe('a refusal', () => {
  const start = (refusal: unknown) => commandsOf({ refusal }).send('run.start', { assistant_id: 'x' })

  test.each([
    [new HttpError(404, 'The checkpoint c was not found.'), 'no_such_checkpoint'],
    [new HttpError(409, 'The checkpoint is busy.'), 'invalid_argument'],
    [notFound('Run', 'x'), 'no_such_run'],
    [new HttpError(409, 'Run x has already ended.'), 'invalid_argument'],
    [notFound('Assistant', 'x'), 'invalid_argument'],
  ])('of %s has the code %s', async (error, code) => {
    expect(await start(error)).toEqual({ type: 'error', id: 1, error: code, message: error.message })
  })

  test('of several fields names what is wrong with each', async () => {
    const detail = ['a', 'b'].map((msg) => ({ loc: ['body'], msg, type: 'x' }))
    expect(await start(new HttpError(422, detail))).toMatchObject({ error: 'invalid_argument', message: 'a; b' })
  })

  test('is none where the server fails', async () => {
    await expect(start(new Error('broken'))).rejects.toThrow('broken')
  })

  test('tells of a command that there is not, or not here', async () => {
    const { send } = commandsOf()
    expect(await send('made.up')).toEqual({
      type: 'error',
      id: 1,
      error: 'unknown_command',
      message: 'Unknown command made.up.',
    })
    expect(await send('input.inject')).toMatchObject({ error: 'not_supported' })
  })
})

test('commands of a known caller start runs with their rights', async () => {
  const { commands, callers } = commandsOf()
  const user = { identity: 'ada', display_name: 'Ada', is_authenticated: true, permissions: [] }
  const caller: Caller = new CallerClass(user, {})
  expect(commands.as(undefined)).toBe(commands)
  const own = commands.as(caller)
  expect(own).not.toBe(commands)
  expect(callers).toEqual([caller])
  expect(await own.handle('T', { id: 1, method: 'run.start', params: { assistant_id: 'x' } })).toMatchObject({
    type: 'success',
  })
})

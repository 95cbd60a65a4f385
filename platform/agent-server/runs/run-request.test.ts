import { describe, expect, test } from 'vitest'
import type { RunCreate } from '@/lib/contracts/agents/runs'
import { type AddressRange, parseRange } from '@/lib/contracts/wire/address'
import type { Assistants } from '../assistants/assistants'
import type { Graphs } from '../assistants/graphs'
import type { User } from '../auth/caller'
import { webhookRules } from '../kernel/webhook-rules'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import { checkpointIdOf, continuesCheckpoint } from './rollback'
import type { RunRow } from './run-record'
import { callerOf, readRunRequest } from './run-request'
import { checkResume } from './strict-resume'

type Json = Record<string, unknown>

describe('a request for a run', () => {
  type Options = { assistant?: Json; user?: User; isStateless?: boolean; ranges?: AddressRange[] }
  /** What becomes of a request on a thread, or of one without. */
  async function read(body: Json, { assistant, user, isStateless, ranges = [] }: Options = {}) {
    const asked: unknown[] = []
    const assistants = {
      get: async () => ({
        ...{ assistant_id: 'a', graph_id: 'g', config: {}, context: {}, metadata: {} },
        ...assistant,
      }),
    }
    const graphs = {
      get: async (...args: unknown[]) => {
        asked.push(args)
        return {}
      },
    }
    const request = await readRunRequest(
      isStateless ? undefined : 't',
      { assistant_id: 'a', ...body } as RunCreate,
      assistants as unknown as Assistants,
      graphs as unknown as Graphs,
      webhookRules(null, ranges),
      user,
    )
    return { ...request, asked }
  }

  test('takes precedence over its assistant, whose tags, metadata and context are kept; context and configurable tell each other', async () => {
    const { plan, metadata, asked } = await read(
      {
        config: { tags: ['own', 'both'], recursion_limit: 7, configurable: { x: 2, z: 3 }, other: 1 },
        context: { label: 'own', x: 4 },
        metadata: { k: 'own' },
      },
      {
        assistant: {
          config: { tags: ['base', 'both'], recursion_limit: 5, configurable: { x: 1, y: 1 }, base: 1 },
          context: { label: 'base', more: 1, z: 5 },
          metadata: { k: 'base', l: 1 },
        },
      },
    )
    const config = {
      ...{ tags: ['base', 'both', 'own'], recursion_limit: 7, base: 1, other: 1 },
      configurable: { x: 2, y: 1, z: 3, label: 'own', more: 1 },
    }
    expect(plan).toEqual({ config, context: { label: 'own', more: 1, x: 4, y: 1, z: 3 }, deletesThread: false })
    expect(metadata).toEqual({ k: 'own', l: 1 })
    expect(asked).toEqual([['g', 'assistants.read', config]])
  })

  test('has the metadata of its config too, which its own overrides', async () => {
    const metadata = { k: 'own', thread: 'x' }
    const config = { metadata: { k: 'config', l: 'config', user: { deep: 1 } } }
    const assistant = { metadata: { k: 'base', l: 'base', m: 1 }, config: { metadata: { never: 1 } } }
    expect((await read({ config, metadata }, { assistant })).metadata).toEqual({
      ...{ k: 'own', l: 'config', m: 1, thread: 'x', user: { deep: 1 } },
    })
    expect((await read({ config: { metadata: null } }, { assistant })).metadata).toEqual(assistant.metadata)
  })

  test('has the limit of its assistant, and no tags or limit where neither names any', async () => {
    expect((await read({}, { assistant: { config: { recursion_limit: 5, tags: null } } })).plan.config).toEqual({
      ...{ recursion_limit: 5, tags: null, configurable: {} },
    })
    expect((await read({ config: { configurable: null } })).plan.config).toEqual({ configurable: {} })
    expect((await read({ config: { tags: ['t'] } })).plan.config.tags).toEqual(['t'])
  })

  test('cannot name a caller of its own', async () => {
    const configurable = { langgraph_auth_user: 'mallory', graph_auth_user_id: 'mallory', own: 1 }
    expect(
      (await read({ config: { configurable } }, { assistant: { config: { configurable } } })).plan.config.configurable,
    ).toEqual({
      own: 1,
    })
    expect(
      (await read({ config: { configurable } }, { assistant: { config: { configurable } } })).plan.context,
    ).toEqual({
      own: 1,
    })
    const { config } = (await read({ context: configurable }, { assistant: { context: configurable } })).plan
    expect(config.configurable).toEqual({ own: 1 })
  })

  test('carries its caller, where there is one', async () => {
    const user = { identity: 'ann', permissions: ['a'] } as unknown as User
    const { plan } = await read({}, { user })
    expect(plan.user).toBe(user)
    expect(callerOf(plan)).toEqual({
      langgraph_auth_user: user,
      langgraph_auth_user_id: 'ann',
      langgraph_auth_permissions: ['a'],
    })
    const { plan: bare } = await read({})
    expect([bare, callerOf(bare)]).toEqual([expect.not.objectContaining({ user: expect.anything() }), {}])
  })

  test.each([
    ['goes with its temporary thread', true, {}, true],
    ['keeps the thread on request', true, { on_completion: 'keep' }, false],
    ['never removes a given thread', false, { on_completion: 'delete' }, false],
  ])('%s', async (_, isStateless, body, deletesThread) => {
    expect((await read(body, { isStateless })).plan.deletesThread).toBe(deletesThread)
  })

  test('that answers an interrupt has no input', async () => {
    expect((await read({ command: { resume: 1 }, input: {} })).body.input).toBeUndefined()
    expect((await read({ input: { a: 1 } })).body.input).toEqual({ a: 1 })
  })

  test.each([
    [{ checkpoint_id: 'c' }, { checkpoint_id: 'c' }],
    [{ checkpoint: { checkpoint_id: 'd', checkpoint_ns: 'n' } }, { checkpoint_id: 'd', checkpoint_ns: 'n' }],
    [
      { checkpoint: { checkpoint_ns: 'n' }, checkpoint_id: 'c' },
      { checkpoint_id: 'c', checkpoint_ns: 'n' },
    ],
    [{ checkpoint: { checkpoint_ns: 'n' } }, undefined],
    [{}, undefined],
  ])('with %j continues from %j', async (body, place) => {
    expect((await read(body)).place).toEqual(place)
  })

  test('waits for its turn unless it names another strategy', async () => {
    expect([(await read({})).strategy, (await read({ multitask_strategy: 'reject' })).strategy]).toEqual([
      ...['enqueue', 'reject'],
    ])
  })

  test.each([
    [{ feedback_keys: ['k'] }, 'feedback_keys'],
    [{ stream_mode: 'lifecycle' }, 'stream_mode'],
    [{ stream_mode: ['values', 'lifecycle'] }, 'stream_mode'],
    [{ durability: 'sync', checkpoint_during: false }, 'checkpoint_during'],
    [{ webhook: 'http://127.0.0.1/' }, 'webhook'],
  ])('with %j is refused by its field', async (body, field) => {
    await expect(read(body)).rejects.toMatchObject({ status: 422, detail: [{ loc: ['body', field] }] })
  })

  test.each([
    { feedback_keys: [] },
    { feedback_keys: null },
    { stream_mode: ['values', 'updates'] },
    { durability: 'sync' },
    { durability: 'sync', checkpoint_during: null },
    { checkpoint_during: true },
    { webhook: 'https://example.com/' },
  ])('with %j is accepted', async (body) => {
    expect((await read(body)).body).toMatchObject(body)
  })

  test('may have a webhook in the operator’s ranges', async () => {
    const ranges = [parseRange('127.0.0.0/8') as AddressRange]
    expect((await read({ webhook: 'http://127.0.0.1/' }, { ranges })).graphId).toBe('g')
  })
})

describe('a strict answer', () => {
  const [first, second] = ['0'.repeat(32), 'a'.repeat(32)] as const
  /** Refusal of an answer while interrupts with these ids are open; undefined if it is accepted. */
  const refusal = async (command: unknown, ids: string[], threadId: string | undefined = 't', strict_resume = true) => {
    const tasks = ids.map((id) => ({ id: `task ${id}`, interrupts: [{ id, value: 1 }] }))
    const states = { snapshot: async () => ({ tasks }) } as unknown as ThreadStates
    const threads = { get: async () => ({}) } as unknown as Threads
    const body = { strict_resume, command } as RunCreate
    return checkResume(threadId, body, threads, states).then(
      () => undefined,
      ({ detail }) => detail[0].msg as string,
    )
  }

  test.each([
    ['yes', [first]],
    [{ [first]: 1 }, [first]],
    [{ [first]: 1 }, [first, second]],
    [{ [first]: 1, [second]: 2 }, [first, second]],
    [{ any: 'object' }, [first]],
    [{ [first]: 1, note: 'an object that is itself the answer' }, [first]],
    [{}, [first]],
    [null, [first]],
  ])('%j is accepted', async (resume, ids) => {
    expect(await refusal({ resume }, ids)).toBeUndefined()
  })

  test.each([
    ['yes', [], 'Thread t has no open interrupt'],
    ['yes', [first, second], `Several interrupts are open. Answer them by id: ${first}, ${second}`],
    [{ any: 'object' }, [first, second], `Several interrupts are open. Answer them by id: ${first}, ${second}`],
    [{ [second]: 1 }, [first], `Interrupt ${second} is not open. Open interrupts: ${first}`],
    [{ [first]: 1, [second]: 1 }, [first], `Interrupt ${second} is not open. Open interrupts: ${first}`],
    [{ [`${first}0`]: 1 }, [first, second], `Several interrupts are open. Answer them by id: ${first}, ${second}`],
    [{ [`x${first}`]: 1 }, [first, second], `Several interrupts are open. Answer them by id: ${first}, ${second}`],
  ])('%j is refused if %j are open', async (resume, ids, message) => {
    expect(await refusal({ resume }, ids)).toBe(message)
  })

  test('needs a thread, and nothing is checked without an answer or without the request for it', async () => {
    const states = {} as ThreadStates
    const body = { strict_resume: true, command: { resume: 1 } } as RunCreate
    await expect(checkResume(undefined, body, {} as Threads, states)).rejects.toMatchObject({ status: 422 })
    expect(await refusal({ goto: 'node' }, [])).toBeUndefined()
    expect(await refusal(undefined, [])).toBeUndefined()
    expect(await refusal({ resume: 1 }, [], 't', false)).toBeUndefined()
  })
})

describe('a run that may be rolled back', () => {
  const run = (kwargs: Json, input_pieces: Buffer | null = null) => ({ kwargs, input_pieces }) as unknown as RunRow

  test.each([
    [run({ command: { resume: 1 } }), true],
    [run({ input: null }), true],
    [run({}), true],
    [run({ input: 0 }), false],
    [run({ input: { a: 1 } }), false],
    [run({}, Buffer.from('large')), false],
    [run({ command: { resume: 1 } }, Buffer.from('large')), true],
  ])('continues a checkpoint where it has no input (case %#)', (row, expected) => {
    expect(continuesCheckpoint(row)).toBe(expected)
  })

  test('begins at the checkpoint that the request names', () => {
    expect(checkpointIdOf(run({ checkpoint: { checkpoint_id: 'a' }, checkpoint_id: 'b' }))).toBe('a')
    expect([checkpointIdOf(run({ checkpoint: {}, checkpoint_id: 'b' })), checkpointIdOf(run({}))]).toEqual(['b', null])
  })
})

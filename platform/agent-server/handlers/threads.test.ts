import { describe, expect, test } from 'vitest'
import { HttpError } from '../kernel/errors'
import { type Any, asked, noting } from './testing'
import { threadHandlers } from './threads'

/** How requests reach the services, and how they are answered. */

describe('threads', () => {
  const row = { thread_id: 't1', ttl_minutes: null as number | null }
  const handlersOf = (results: Record<string, Any> = {}) => {
    const threads = noting({ create: { row, isNew: true }, get: row, copy: row, update: row, ...results.threads })
    const states = noting({
      records: async (rows: Any[], options: unknown) => rows.map((one) => ({ id: one.thread_id, options })),
      ...results.states,
    })
    const stopper = noting(results.stopper)
    const streams = noting({ open: 'stream' })
    const db = noting({ query: [] })
    const handlers = threadHandlers({
      threads: threads.services,
      states: states.services,
      stopper: stopper.services,
      streams: streams.services,
      db: db.services,
      events: noting({ open: 'events' }).services,
      commands: { as: (caller: unknown) => ({ handle: async (...given: unknown[]) => [caller, ...given] }) } as Any,
    })
    return { handlers, threads, states, stopper, streams, db }
  }

  test('are created with their state, and not at all if it cannot be built', async () => {
    const body = { supersteps: [{ updates: [] }] }
    const built = handlersOf()
    await built.handlers.createThread(asked({ body, only: ['x'] }))
    expect([built.threads.of('create'), built.states.of('build')]).toEqual([
      [['create', body, ['x']]],
      [['build', row, body.supersteps]],
    ])
    const refused = handlersOf({ states: { build: new HttpError(422, 'no') } })
    await expect(refused.handlers.createThread(asked({ body }))).rejects.toMatchObject({ status: 422 })
    expect(refused.threads.of('remove')).toEqual([['remove', 't1']])
    for (const [create, given] of [
      [{ row, isNew: false }, body],
      [{ row, isNew: true }, { supersteps: [] }],
      [{ row, isNew: true }, {}],
    ]) {
      const plain = handlersOf({ threads: { create } })
      await plain.handlers.createThread(asked({ body: given }))
      expect(plain.states.of('build')).toEqual([])
    }
  })

  test('tell how long they live where that is asked for or was set', async () => {
    const ttlOf = async (reply: Promise<Any>) => (await reply).body.options.withTtl
    const { handlers } = handlersOf()
    const params = { thread_id: 't1' }
    expect(await ttlOf(handlers.getThread(asked({ params, query: { include: ['ttl'] } })))).toBe(true)
    expect(await ttlOf(handlers.getThread(asked({ params, query: { include: [] } })))).toBe(false)
    expect(await ttlOf(handlers.updateThread(asked({ params, body: { ttl: null } })))).toBe(true)
    expect(await ttlOf(handlers.updateThread(asked({ params })))).toBe(false)
    const mortal = handlersOf({ threads: { create: { row: { ...row, ttl_minutes: 5 }, isNew: true } } })
    expect(await ttlOf(mortal.handlers.createThread(asked({})))).toBe(true)
    expect(await ttlOf(handlers.createThread(asked({})))).toBe(false)
  })

  test('are changed without an answer where the client wants none', async () => {
    const headers = new Headers({ prefer: 'return=minimal, wait=5' })
    expect(await handlersOf().handlers.updateThread(asked({ headers }))).toEqual({})
  })

  test('are searched with the fields that are asked for', async () => {
    const search = async (body: Any) => {
      const { handlers } = handlersOf({ threads: { search: { rows: [row], total: 2 } } })
      const reply = (await handlers.searchThreads(asked({ body }))) as Any
      return { ...reply, record: reply.body[0] }
    }
    const all = await search({})
    expect([all.headers, all.record.id]).toEqual([{ 'X-Pagination-Total': '2', 'X-Pagination-Next': '1' }, 't1'])
    expect([all.record.options.wants('values'), all.record.options.extract]).toEqual([true, undefined])
    const states = {
      records: async (_: unknown, { wants }: Any) => [
        { id: 1, extracted: 2, wants: ['id', 'values'].filter((field) => wants(field)) },
      ],
    }
    const selecting = async (body: Any) => {
      const { handlers } = handlersOf({ threads: { search: { rows: [row], total: 1 } }, states })
      return ((await handlers.searchThreads(asked({ body }))) as Any).body[0]
    }
    expect(await selecting({ select: ['id'] })).toEqual({ id: 1 })
    expect(await selecting({ select: ['id'], extract: { a: 'b' } })).toEqual({ id: 1, extracted: 2 })
    expect(await selecting({ select: ['wants'] })).toEqual({ wants: [] })
    expect(await selecting({ select: [], extract: { a: 'b' } })).toEqual({
      id: 1,
      extracted: 2,
      wants: ['id', 'values'],
    })
  })

  test('are pruned each once, without those that are gone; a failure of the server is told', async () => {
    let fails: unknown = new HttpError(404, 'gone')
    const removeThread = async (id: string) => {
      if (id === 'b') throw fails
    }
    const { handlers, threads } = handlersOf({ stopper: { removeThread } })
    const body = { thread_ids: ['a', 'a', 'b', 'c'] }
    expect(await handlers.pruneThreads(asked({ body }))).toEqual({ body: { pruned_count: 2 } })
    expect(await handlers.pruneThreads(asked({ body: { ...body, strategy: 'keep_latest' } }))).toEqual({
      body: { pruned_count: 3 },
    })
    expect(threads.of('keepLatest').map(([, id]: string[]) => id)).toEqual(['a', 'b', 'c'])
    fails = new Error('broken')
    await expect(handlers.pruneThreads(asked({ body }))).rejects.toThrow('broken')
  })

  test('have their state read with its subgraphs and by fields', async () => {
    const state = { values: 1, next: 2 }
    const { handlers, states } = handlersOf({ states: { read: state, history: [] } })
    const params = { thread_id: 't1', checkpoint_id: 'c1' }
    const query = { subgraphs: true, select: 'values,other' }
    expect(await handlers.getThreadState(asked({ params, query }))).toEqual({ body: { values: 1 } })
    expect(await handlers.getThreadState(asked({ params }))).toEqual({ body: state })
    expect(await handlers.getThreadStateAt(asked({ params, query }))).toEqual({ body: { values: 1 } })
    expect(await handlers.getThreadStateAt(asked({ params }))).toEqual({ body: state })
    await handlers.getThreadStateAtCheckpoint(asked({ params, body: { checkpoint: { checkpoint_id: 'c' } } }))
    await handlers.getThreadStateAtCheckpoint(asked({ params, body: { checkpoint: {}, subgraphs: true } }))
    expect(states.of('read')).toEqual([
      ['read', 't1', undefined, true],
      ['read', 't1', undefined, undefined],
      ['read', 't1', { checkpoint_id: 'c1' }, true],
      ['read', 't1', { checkpoint_id: 'c1' }, undefined],
      ['read', 't1', { checkpoint_id: 'c' }, false],
      ['read', 't1', {}, true],
    ])
  })

  test('tell their readers of a change by hand', async () => {
    const configurable = { thread_id: 't1', checkpoint_id: 'c1', checkpoint_ns: '' }
    const { handlers, streams } = handlersOf({ states: { update: configurable } })
    const { body } = (await handlers.updateThreadState(asked({ params: { thread_id: 't1' } }))) as Any
    expect([body.configurable, body.checkpoint]).toMatchObject([configurable, { checkpoint_id: 'c1' }])
    expect(streams.of('changed')).toEqual([['changed', 't1']])
  })

  test('are streamed in the modes that either name asks for', async () => {
    const { handlers, streams } = handlersOf()
    const params = { thread_id: 't1' }
    const headers = new Headers({ 'last-event-id': '7' })
    const { stream, headers: sent } = await handlers.streamThread(
      asked({ params, headers, query: { stream_mode: ['a'], stream_modes: ['b'] }, signal: 's' }),
    )
    await handlers.streamThread(asked({ params, query: { stream_modes: ['b'] }, signal: 's' }))
    expect([stream, sent?.Location]).toEqual(['stream', '/threads/t1/stream'])
    expect(streams.of('open')).toEqual([
      ['open', 't1', { modes: ['a'], lastEventId: '7', signal: 's' }],
      ['open', 't1', { modes: ['b'], lastEventId: null, signal: 's' }],
    ])
    expect(await handlers.streamThreadEvents(asked({ params }))).toMatchObject({ stream: 'events' })
    expect(await handlers.sendThreadCommand(asked({ params, body: { id: 1 }, caller: 'ada' }))).toEqual({
      body: ['ada', 't1', { id: 1 }],
    })
  })
})

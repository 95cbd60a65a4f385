import { describe, expect, test } from 'vitest'
import { invalid, notFound } from '../kernel/errors'
import { runHandlers } from './runs'
import type { Any } from './testing'

/** What requests for runs ask of the services and how they are answered; the tests of `runs` have a server. */

const row = { run_id: 'r1', thread_id: 't1', status: 'running' }

function handlersOf(world: { found?: Any; stored?: unknown[]; cancels?: boolean; inProgress?: string[] } = {}) {
  const log: Any[] = []
  const note =
    (what: string, result?: unknown) =>
    async (...given: unknown[]) => {
      log.push([what, ...given])
      return result
    }
  const starter = {
    as: (caller: unknown) => {
      log.push(['as', caller])
      return starter
    },
    create: note('create', row),
    createBatch: note('batch', [row, row]),
    createSubscribed: note('subscribed', { subscription: 'subscription', row }),
  }
  const handlers = runHandlers({
    runs: {
      out: async (one: Any) => ({ run_id: one.run_id, status: one.status }),
      get: note('get', row),
      find: async () => world.found,
      list: note('list', { rows: [row], total: 5 }),
      cancel: note('cancel', world.cancels ?? true),
      inProgress: note('in progress', world.inProgress ?? ['r1']),
    },
    threads: { get: note('thread') },
    hub: {
      async *stored(...given: unknown[]) {
        log.push(['stored', ...given])
        yield* world.stored ?? []
      },
    },
    readers: {
      stream: note('stream', 'the stream'),
      respond: (...given: unknown[]) => {
        log.push(['respond', ...given])
        return 'the result'
      },
    },
    stopper: { removeRun: note('remove'), waitForEnd: note('wait'), cancelAll: note('cancel all') },
    starter,
  } as unknown as Parameters<typeof runHandlers>[0]) as Any
  const ask = (id: string, given: Any = {}) =>
    handlers[id]({
      params: { thread_id: 't1', run_id: 'r1' },
      query: {},
      body: {},
      headers: new Headers(),
      signal: 'signal',
      ...given,
    })
  return { ask, log, of: (what: string) => log.filter(([kind]) => kind === what) }
}
const own = '/threads/t1/runs/r1'

describe('a new run', () => {
  test.each([
    ['createRun', { 'Content-Location': own }],
    ['createStatelessRun', { 'Content-Location': '/runs/r1' }],
  ])('by %s is answered with its record and its place', async (id, headers) => {
    const { ask, of } = handlersOf()
    expect(await ask(id, { body: { assistant_id: 'a' }, caller: 'ada' })).toEqual({
      body: { run_id: 'r1', status: 'running' },
      headers,
    })
    expect([of('as'), of('create')]).toEqual([
      [['as', 'ada']],
      [['create', id === 'createRun' ? 't1' : undefined, { assistant_id: 'a' }]],
    ])
  })

  test.each([
    ['createRunStream', 't1', own, `${own}/stream`],
    ['createStatelessRunStream', undefined, '/runs/r1', '/runs/r1/stream'],
  ])('by %s is answered with its events, and where they can be read again', async (id, thread, place, location) => {
    const { ask, of } = handlersOf()
    const { stream, headers } = await ask(id, { query: { namespace: ['a'] }, caller: 'ada' })
    expect([stream, headers]).toEqual([
      'the stream',
      expect.objectContaining({
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Content-Location': place,
        Location: location,
      }),
    ])
    expect(of('subscribed')).toEqual([['subscribed', thread, {}, { namespaces: ['a'] }]])
    const options = { signal: 'signal', namespaces: ['a'], onLeave: undefined }
    expect(of('stream')).toEqual([['stream', row, options, 'subscription']])
  })

  test.each([
    ['createRunWait', 't1', own],
    ['createStatelessRunWait', undefined, '/runs/r1'],
  ])('by %s is answered with its result, and where it can be read again', async (id, thread, place) => {
    const { ask, of } = handlersOf()
    const { stream, headers } = await ask(id)
    expect([stream, headers]).toEqual([
      'the result',
      expect.objectContaining({
        'Content-Type': 'application/json',
        'Content-Location': place,
        Location: `${own}/join`,
      }),
    ])
    expect(of('subscribed')).toEqual([['subscribed', thread, {}, { modes: [] }]])
    expect(of('respond')).toEqual([['respond', row, { signal: 'signal', onLeave: undefined }, 'subscription']])
  })

  test.each([
    ['createRunStream', 'stream', { body: { on_disconnect: 'cancel' } }],
    ['createRunWait', 'respond', { body: { on_disconnect: 'cancel' } }],
    ['joinRun', 'respond', { query: { cancel_on_disconnect: true } }],
    ['streamRun', 'stream', { query: { cancel_on_disconnect: true } }],
  ])('that is read by %s is cancelled when its reader leaves, if that is asked for', async (id, reader, given) => {
    const { ask, of } = handlersOf()
    await ask(id, given)
    of(reader)[0][2].onLeave()
    expect(of('cancel')).toEqual([['cancel', 'r1', 'interrupt']])
    const other = handlersOf()
    await other.ask(id, { body: { on_disconnect: 'continue' }, query: { cancel_on_disconnect: false } })
    expect(other.of(reader)[0][2].onLeave).toBeUndefined()
  })

  test('of a batch is one of several', async () => {
    const { ask, of } = handlersOf()
    const { body } = await ask('createRunBatch', {
      body: [{ assistant_id: 'a', assistantId: 'a' }, { assistant_id: 'b' }],
    })
    expect(body).toHaveLength(2)
    expect(of('batch')).toEqual([['batch', [{ assistant_id: 'a' }, { assistant_id: 'b' }]]])
  })
})

describe('the runs of a thread', () => {
  test('are listed by page, with the fields that are asked for', async () => {
    const { ask, of } = handlersOf()
    expect(await ask('listRuns', { query: { offset: 1, select: ['run_id'] } })).toEqual({
      body: [{ run_id: 'r1' }],
      headers: { 'X-Pagination-Total': '5', 'X-Pagination-Next': '2' },
    })
    expect(of('thread')).toEqual([['thread', 't1']])
  })

  test('are read and removed one by one', async () => {
    const { ask, of } = handlersOf()
    expect(await ask('getRun')).toEqual({ body: { run_id: 'r1', status: 'running' } })
    expect(await ask('deleteRun')).toEqual({})
    expect([of('get'), of('remove')]).toEqual([
      [
        ['get', 'r1', 't1'],
        ['get', 'r1', 't1'],
      ],
      [['remove', row]],
    ])
  })
})

describe('the events of a run', () => {
  const after = async (id: string | undefined) => {
    const { ask, of } = handlersOf()
    await ask('streamRun', { headers: new Headers(id === undefined ? {} : { 'last-event-id': id }) })
    return of('stream')[0][2].after
  }
  test.each([
    [undefined, undefined],
    ['-', -1],
    ['-1', -1],
    ['0', 0],
    ['42', 42],
    ['123456789012345', 123456789012345],
    ['1234567890123456', undefined],
    ['-2', undefined],
    ['4x', undefined],
    ['x4', undefined],
    ['', undefined],
  ])('after %s are those after %s', async (id, wanted) => {
    expect(await after(id)).toBe(wanted)
  })

  test('are read by their modes, and an unknown mode is refused', async () => {
    const { ask, of } = handlersOf()
    await ask('streamRun', { query: { stream_mode: ['values', 'metadata', 'end'], namespace: ['a'] } })
    await ask('streamRun')
    expect(of('stream').map(([, , { modes, namespaces }]: Any) => [modes, namespaces])).toEqual([
      [['values', 'metadata', 'end'], ['a']],
      [undefined, undefined],
    ])
    await expect(ask('streamRun', { query: { stream_mode: ['values', 'nonsense'] } })).rejects.toMatchObject({
      status: 422,
      detail: [
        { loc: ['query', 'stream_mode'], msg: expect.stringMatching(/^Input should be .*values, /), type: 'enum' },
      ],
    })
  })

  test('can be read again at their own place', async () => {
    expect((await handlersOf().ask('streamRun')).headers).toMatchObject({ Location: `${own}/stream` })
    const { ask, of } = handlersOf({ found: row })
    const { headers } = await ask('streamStatelessRun')
    expect([headers.Location, of('get'), of('stored')]).toEqual(['/runs/r1/stream', [], []])
  })

  test('outlive the record of a stateless run for a while', async () => {
    const { ask, of } = handlersOf({ stored: [[{}]] })
    await ask('streamStatelessRun')
    expect(of('stored')).toEqual([['stored', 'r1', -1, Number.MAX_SAFE_INTEGER, 1]])
    expect(of('stream')[0][1]).toEqual({ run_id: 'r1', status: 'gone', is_resumable: true })
    await expect(handlersOf().ask('streamStatelessRun')).rejects.toEqual(notFound('Run', 'r1'))
  })

  test('are not needed to wait for its result', async () => {
    const { ask, of } = handlersOf()
    expect(await ask('joinRun')).toMatchObject({
      stream: 'the result',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(of('respond')).toEqual([['respond', row, { signal: 'signal', onLeave: undefined }]])
  })
})

describe('a cancel', () => {
  test('is answered at once, or when the run has ended', async () => {
    const { ask, of } = handlersOf()
    expect(await ask('cancelRun')).toEqual({ status: 202, body: {} })
    expect(of('wait')).toEqual([])
    expect(await ask('cancelRun', { query: { action: 'rollback', wait: true } })).toEqual({})
    expect([of('cancel'), of('wait')]).toEqual([
      [
        ['cancel', 'r1', 'interrupt'],
        ['cancel', 'r1', 'rollback'],
      ],
      [['wait', row, 'signal']],
    ])
  })

  test('of a run that has ended is refused', async () => {
    await expect(handlersOf({ cancels: false }).ask('cancelRun')).rejects.toMatchObject({
      status: 409,
      detail: 'Run r1 has already ended.',
    })
  })

  test('of several runs is of those that are in progress', async () => {
    const { ask, of } = handlersOf()
    expect(await ask('cancelRuns', { body: { thread_id: 't1', run_ids: ['r1', 'r2'] }, only: ['x'] })).toEqual({})
    await ask('cancelRuns', { body: { status: 'pending' }, query: { action: 'rollback' } })
    expect(of('in progress')).toEqual([
      ['in progress', { threadId: 't1', runIds: ['r1', 'r2'], status: undefined, only: ['x'] }],
      ['in progress', { threadId: undefined, runIds: undefined, status: 'pending', only: undefined }],
    ])
    expect(of('cancel all')).toEqual([
      ['cancel all', ['r1'], 'interrupt'],
      ['cancel all', ['r1'], 'rollback'],
    ])
  })

  test('of nothing is refused, and of runs that have all ended not found', async () => {
    const missing = invalid(['body', 'status'], 'Give a status, or a thread_id with run_ids', 'missing')
    for (const body of [{}, { run_ids: [] }])
      await expect(handlersOf().ask('cancelRuns', { body })).rejects.toEqual(missing)
    const { ask, of } = handlersOf({ inProgress: [] })
    await expect(ask('cancelRuns', { body: { run_ids: ['r1'] } })).rejects.toMatchObject({
      status: 404,
      detail: 'None of these runs is in progress.',
    })
    expect(await ask('cancelRuns', { body: { status: 'all' } })).toEqual({})
    expect(of('cancel all')).toEqual([['cancel all', [], 'interrupt']])
  })
})

import { describe, expect, test } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { Caller } from '../auth/caller'
import type { Query } from '../persistence/db'
import { authorize, isPublic } from './access'
import type { OperationId } from './handler-types'

/** What each operation asks of the deployment's handlers; `auth.test.ts` has what they then hide, with a database. */

type Json = Record<string, unknown>
type Given = { params?: Record<string, string>; query?: Json; body?: Json }
type Handler = (request: { event: string; value: Json }) => unknown

const user = { identity: 'ada', display_name: 'Ada', is_authenticated: true, permissions: [] }

/** The questions of an operation and the records that were looked up. `hidden`: what a lookup finds. */
async function ask(id: OperationId, given: Given = {}, answer: Handler = () => undefined, hidden: object[] = []) {
  const questions: [string, Json][] = []
  const lookups: unknown[][] = []
  const caller = new Caller(user, {
    '*': (request) => {
      const { event, value } = request as { event: string; value: Json }
      questions.push([event, structuredClone(value)])
      return answer({ event, value })
    },
  })
  const db = (async (_: string, values: unknown[]) => {
    lookups.push(values)
    return hidden
  }) as unknown as Query
  const { params = {}, query = {}, body = {} } = given
  const only = await authorize(id, { params, query, body, caller, db, idOf: (name) => `id of ${name}` })
  return { questions, lookups, only }
}

const TABLE: [OperationId, string[]][] = [
  ['createAssistant', ['assistants:create']],
  ['searchAssistants', ['assistants:search']],
  ['countAssistants', ['assistants:search']],
  ['getAssistant', ['assistants:read']],
  ['updateAssistant', ['assistants:update']],
  ['deleteAssistant', ['assistants:delete']],
  ['getAssistantSchemas', ['assistants:read']],
  ['setLatestAssistantVersion', ['assistants:update']],
  ['createThread', ['threads:create']],
  ['searchThreads', ['threads:search']],
  ['countThreads', ['threads:search']],
  ['pruneThreads', ['threads:delete']],
  ['getThread', ['threads:read']],
  ['updateThread', ['threads:update']],
  ['deleteThread', ['threads:delete']],
  ['copyThread', ['threads:read', 'threads:create']],
  ['updateThreadState', ['threads:update']],
  ['patchThreadState', ['threads:update']],
  ['sendThreadCommand', ['threads:read']],
  ['deleteRun', ['threads:delete']],
  ['cancelRun', ['threads:update']],
  ['cancelRuns', ['threads:update']],
  ['streamStatelessRun', ['threads:read']],
  ['createThreadCron', ['crons:create']],
  ['createCron', ['crons:create']],
  ['searchCrons', ['crons:search']],
  ['getCron', ['crons:read']],
  ['updateCron', ['crons:update']],
  ['deleteCron', ['crons:delete']],
  ['putItem', ['store:put']],
  ['getItem', ['store:get']],
  ['deleteItem', ['store:delete']],
  ['searchItems', ['store:search']],
  ['listNamespaces', ['store:list_namespaces']],
  // Their starter asks, for each run.
  ['createRun', []],
  ['createRunBatch', []],
  ['sendMcp', []],
  ['getOpenapi', []],
]

const params = { thread_id: 't', assistant_id: 'a', cron_id: 'c', run_id: 'r' }

describe('an operation', () => {
  test.each(TABLE)('%s asks %j', async (id, events) => {
    const { questions, only, lookups } = await ask(id, { params, body: { key: 'k' }, query: { key: 'k' } })
    expect(questions.map(([event]) => event)).toEqual(events)
    expect(only).toBeUndefined()
    if (id !== 'streamStatelessRun') expect(lookups).toEqual([])
  })

  test.each(TABLE.filter(([, events]) => events.length))('%s is forbidden where the answer is no', async (id) => {
    const refused = ask(id, { params, body: { key: 'k' }, query: { key: 'k' } }, () => false)
    await expect(refused).rejects.toMatchObject({ status: 403 })
  })

  test('is answered without authentication only if it says that the server is there', () => {
    const ids = Object.values(agentServer).map(({ id }) => id as OperationId)
    expect(ids.filter(isPublic)).toEqual(['getOk', 'getInfo'])
  })
})

describe('a new record', () => {
  test.each(['createThread', 'createAssistant', 'createCron'] as const)(
    'of %s has the metadata that the handler gives it, and the request’s own is not changed',
    async (id) => {
      const metadata = { topic: 'x' }
      const body: Json = { metadata }
      const { questions } = await ask(id, { body }, ({ value }) => {
        ;(value.metadata as Json).owner = 'ada'
      })
      expect(questions[0]?.[1]).toMatchObject({ metadata: { topic: 'x' } })
      expect([body.metadata, metadata]).toEqual([{ topic: 'x', owner: 'ada' }, { topic: 'x' }])
      const empty: Json = { metadata: null }
      await ask(id, { body: empty })
      expect(empty.metadata).toEqual({})
    },
  )

  test('for a thread is asked with the thread, which is looked up for a cron', async () => {
    const filter = () => ({ owner: 'ada' })
    const cron = await ask('createThreadCron', { params: { thread_id: 'T1' }, body: { schedule: 'x' } }, filter)
    expect(cron.questions[0]?.[1]).toEqual({ thread_id: 'T1', schedule: 'x', metadata: {} })
    expect([cron.only, cron.lookups]).toEqual([['{"owner":"ada"}'], [['t1', ['{"owner":"ada"}']]]])
    expect((await ask('createCron', {}, filter)).lookups).toEqual([])
    const hidden = ask('createThreadCron', { params: { thread_id: 'T1' } }, filter, [{}])
    await expect(hidden).rejects.toMatchObject({ status: 404, detail: 'Thread T1 not found.' })
  })

  test('that may exist already is looked up: others’ assistants are not told', async () => {
    const filter = () => ({ owner: 'ada' })
    const body = { assistant_id: 'A1', if_exists: 'do_nothing' }
    await expect(ask('createAssistant', { body }, filter, [{}])).rejects.toMatchObject({ status: 404 })
    for (const other of [{ assistant_id: 'A1', if_exists: 'raise' }, { if_exists: 'do_nothing' }])
      expect((await ask('createAssistant', { body: other }, filter, [{}])).lookups).toEqual([])
    expect((await ask('createThread', { body }, filter, [{}])).lookups).toEqual([])
  })
})

describe('a record', () => {
  test('is asked for by its id, that of an assistant by the one it is stored under', async () => {
    expect((await ask('getThread', { params: { thread_id: 't' }, body: { a: 1 } })).questions).toEqual([
      ['threads:read', { thread_id: 't' }],
    ])
    expect((await ask('getAssistant', { params: { assistant_id: 'chat' } })).questions).toEqual([
      ['assistants:read', { assistant_id: 'id of chat' }],
    ])
  })

  test('that is changed is asked for with the change, whose metadata the handler may set', async () => {
    const metadata = { a: 1 }
    const body: Json = { metadata, ttl: 5 }
    const { questions } = await ask('updateThread', { params: { thread_id: 't' }, body }, ({ value }) => {
      ;(value.metadata as Json).owner = 'ada'
    })
    expect(questions).toEqual([['threads:update', { thread_id: 't', ttl: 5, metadata: { a: 1 } }]])
    expect([body.metadata, metadata]).toEqual([{ a: 1, owner: 'ada' }, { a: 1 }])
    const plain: Json = { ttl: 5 }
    await ask('updateThread', { params: { thread_id: 't' }, body: plain })
    expect(plain).toEqual({ ttl: 5 })
    await ask('updateThread', { params: { thread_id: 't' }, body: plain }, ({ value }) => {
      value.metadata = { owner: 'ada' }
    })
    expect(plain).toEqual({ ttl: 5, metadata: { owner: 'ada' } })
  })

  test('that is only read keeps the request as it is', async () => {
    const body: Json = { metadata: { a: 1 } }
    await ask('getThread', { params: { thread_id: 't' }, body }, ({ value }) => {
      value.metadata = { owner: 'ada' }
    })
    expect(body).toEqual({ metadata: { a: 1 } })
  })

  test.each([
    ['getThread', 'Thread t not found.'],
    ['deleteThread', 'Thread t not found.'],
    ['getCron', 'Cron c not found.'],
    ['updateAssistant', 'Assistant id of a not found.'],
  ] as const)('that the filter hides is not found: %s', async (id, detail) => {
    const hidden = ask(id, { params }, () => ({ owner: 'ada' }), [{}])
    await expect(hidden).rejects.toMatchObject({ status: 404, detail })
    expect((await ask(id, { params }, () => ({ owner: 'ada' }))).only).toEqual(['{"owner":"ada"}'])
  })

  test('is asked for as an update where only its latest state is kept', async () => {
    const { questions } = await ask('pruneThreads', { body: { strategy: 'keep_latest', thread_ids: ['t'] } })
    expect(questions).toEqual([['threads:update', {}]])
  })

  test('is named where its runs are cancelled together', async () => {
    expect((await ask('cancelRuns', { body: { thread_id: 't' } })).questions).toEqual([
      ['threads:update', { thread_id: 't', action: 'interrupt' }],
    ])
  })
})

test('a list is asked for with what is searched, which the handler cannot change', async () => {
  const body: Json = { metadata: { a: 1 }, limit: 5 }
  const { questions, only } = await ask('searchThreads', { body }, ({ value }) => {
    value.limit = 100
    return { owner: 'ada' }
  })
  expect(questions).toEqual([['threads:search', { metadata: { a: 1 }, limit: 5 }]])
  expect([only, body]).toEqual([['{"owner":"ada"}'], { metadata: { a: 1 }, limit: 5 }])
})

describe('the stream of a stateless run', () => {
  const stream = (answer: Handler, ...found: object[][]) => {
    const caller = new Caller(user, { '*': answer as never })
    const asked: unknown[][] = []
    const db = (async (_: string, values: unknown[]) => {
      asked.push(values)
      return found.shift() ?? []
    }) as unknown as Query
    const given = { params: { run_id: 'R1' }, query: {}, body: {}, caller, db, idOf: String }
    return authorize('streamStatelessRun', given).then((only) => ({ only, asked }))
  }
  const filter = () => ({ owner: 'ada' })

  test('follows the rights to its thread', async () => {
    const only = ['{"owner":"ada"}']
    expect(await stream(filter, [{ thread_id: 't' }])).toEqual({ only, asked: [['r1'], ['t', only]] })
    await expect(stream(filter, [{ thread_id: 't' }], [{}])).rejects.toMatchObject({ detail: 'Thread t not found.' })
  })

  test('that is gone is told to nobody whose rights depend on the thread', async () => {
    await expect(stream(filter)).rejects.toMatchObject({ status: 404, detail: 'Run R1 not found.' })
    expect(await stream(() => true)).toEqual({ only: undefined, asked: [['r1']] })
  })
})

describe('items', () => {
  const moved: Handler = ({ value }) => {
    value.namespace = ['ada', ...(value.namespace as string[])]
  }

  test('are written, read and deleted where the handler says', async () => {
    const body: Json = { namespace: ['notes'], key: 'k', value: { a: 1 } }
    const { questions } = await ask('putItem', { body }, moved)
    expect(questions[0]?.[1]).toEqual({ namespace: ['notes'], key: 'k', value: { a: 1 } })
    expect(body).toEqual({ namespace: ['ada', 'notes'], key: 'k', value: { a: 1 } })
    const query: Json = { namespace: 'notes.old', key: 'k' }
    expect((await ask('getItem', { query, body: { key: 'other' } }, moved)).questions[0]?.[1]).toEqual({
      namespace: ['notes', 'old'],
      key: 'k',
    })
    expect(query).toEqual({ namespace: 'ada.notes.old', key: 'k' })
    const none: Json = { key: 'k' }
    await ask('deleteItem', { body: none }, moved)
    expect(none).toEqual({ key: 'k', namespace: ['ada'] })
  })

  test('that the filter hides are not found, and those that it does not allow are not written', async () => {
    const filter = () => ({ owner: 'ada' })
    const body = () => ({ namespace: ['n'], key: 'k', value: { owner: 'bob' } })
    const hidden = [{ meets: false }]
    await expect(ask('deleteItem', { body: body() }, filter, hidden)).rejects.toMatchObject({ status: 404 })
    await expect(ask('putItem', { body: body() }, filter)).rejects.toMatchObject({ status: 403 })
    const { lookups } = await ask('putItem', { body: body() }, filter, [{ meets: true }])
    expect(lookups[1]).toEqual([{ owner: 'bob', namespace: ['n'], key: 'k' }, ['{"owner":"ada"}']])
    expect((await ask('deleteItem', { body: body() }, filter)).lookups).toHaveLength(1)
  })

  test('are searched where the handler says', async () => {
    const body: Json = { namespace_prefix: ['notes'], filter: { a: 1 }, limit: 3, offset: 1, query: 'x' }
    const { questions, only } = await ask('searchItems', { body }, (request) => {
      moved(request)
      return { owner: 'ada' }
    })
    expect(questions[0]?.[1]).toEqual({ namespace: ['notes'], filter: { a: 1 }, limit: 3, offset: 1, query: 'x' })
    expect([body.namespace_prefix, only]).toEqual([['ada', 'notes'], ['{"owner":"ada"}']])
    const empty: Json = {}
    await ask('searchItems', { body: empty })
    expect(empty.namespace_prefix).toEqual([])
  })

  test('have their namespaces listed where the handler says', async () => {
    const body: Json = { prefix: ['notes'], suffix: ['x'], max_depth: 2, limit: 3, offset: 1 }
    const { questions, only } = await ask('listNamespaces', { body }, (request) => {
      moved(request)
      return { owner: 'ada' }
    })
    expect(questions[0]?.[1]).toEqual({ namespace: ['notes'], suffix: ['x'], max_depth: 2, limit: 3, offset: 1 })
    expect([body.prefix, only]).toEqual([['ada', 'notes'], ['{"owner":"ada"}']])
    const empty: Json = {}
    await ask('listNamespaces', { body: empty })
    expect(empty.prefix).toEqual([])
  })
})

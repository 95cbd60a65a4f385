import type { Handlers } from '../http/handler-types'
import { EVENT_STREAM, type Reply } from '../http/http'
import { HttpError } from '../kernel/errors'
import { pageHeaders, select } from '../kernel/listing'
import type { Db } from '../persistence/db'
import { checkRecord } from '../persistence/record-access'
import type { ThreadCommands } from '../protocols/thread-commands'
import type { ThreadEvents } from '../protocols/thread-events'
import type { RunStopper } from '../runs/run-stopper'
import type { ThreadStreams } from '../runs/thread-stream'
import { checkpointOut } from '../threads/state'
import type { ThreadStates } from '../threads/thread-state'
import type { ThreadRow, Threads } from '../threads/threads'

type ThreadHandlers = Pick<
  Handlers,
  | 'createThread'
  | 'searchThreads'
  | 'countThreads'
  | 'pruneThreads'
  | 'getThread'
  | 'updateThread'
  | 'deleteThread'
  | 'copyThread'
  | 'getThreadState'
  | 'updateThreadState'
  | 'patchThreadState'
  | 'getThreadStateAt'
  | 'getThreadStateAtCheckpoint'
  | 'listThreadHistory'
  | 'searchThreadHistory'
  | 'streamThread'
  | 'streamThreadEvents'
  | 'sendThreadCommand'
>

type Services = {
  db: Db
  threads: Threads
  states: ThreadStates
  stopper: RunStopper
  streams: ThreadStreams
  events: ThreadEvents
  commands: ThreadCommands
}

export function threadHandlers(services: Services): ThreadHandlers {
  const { db, threads, states, stopper, streams, events, commands } = services
  const record = async (row: ThreadRow, withTtl = false): Promise<Reply> => {
    const [body] = await states.records([row], { withTtl })
    return { body }
  }

  return {
    async createThread({ body, only }) {
      const { row, isNew } = await threads.create(body, only)
      if (!isNew || !body.supersteps?.length) return record(row, row.ttl_minutes !== null)
      try {
        await states.build(row, body.supersteps)
      } catch (error) {
        await threads.remove(row.thread_id)
        throw error
      }
      return record(await threads.get(row.thread_id), row.ttl_minutes !== null)
    },

    async searchThreads({ body, only }) {
      const { rows, total } = await threads.search(body, only)
      const wants = (field: string) => !body.select?.length || body.select.includes(field)
      const records = await states.records(rows, { wants, extract: body.extract })
      return {
        body: records.map((one) =>
          select(one, body.select?.length && body.extract ? [...body.select, 'extracted'] : body.select),
        ),
        headers: pageHeaders(body, rows.length, total),
      }
    },

    countThreads: async ({ body, only }) => ({ body: await threads.count(body, only) }),

    async pruneThreads({ body, only }) {
      const prune = (id: string) =>
        body.strategy === 'keep_latest' ? threads.keepLatest(id) : stopper.removeThread(id)
      let count = 0
      for (const id of new Set(body.thread_ids)) {
        try {
          await checkRecord(db.query, 'Thread', id, only)
          await prune(id)
          count += 1
        } catch (error) {
          if (!(error instanceof HttpError)) throw error
        }
      }
      return { body: { pruned_count: count } }
    },

    getThread: async ({ params, query }) => record(await threads.get(params.thread_id), query.include?.includes('ttl')),

    async updateThread({ params, body, headers }) {
      const row = await threads.update(params.thread_id, body)
      return /return=minimal/.test(headers.get('prefer') ?? '') ? {} : record(row, body.ttl !== undefined)
    },

    async deleteThread({ params }) {
      await stopper.removeThread(params.thread_id)
      return {}
    },

    copyThread: async ({ params }) => record(await threads.copy(params.thread_id)),

    getThreadState: async ({ params, query }) => ({
      body: select(await states.read(params.thread_id, undefined, query.subgraphs), query.select?.split(',')),
    }),

    async updateThreadState({ params, body }) {
      const configurable = await states.update(params.thread_id, body)
      streams.changed(params.thread_id)
      return { body: { checkpoint: checkpointOut(configurable), configurable } }
    },

    /** An older operation: metadata of the newest checkpoint. */
    async patchThreadState({ params, body }) {
      const { thread_id } = await threads.get(params.thread_id)
      await db.query(
        `update checkpoints set metadata = metadata || $2 where thread_id = $1 and checkpoint_ns = '' and checkpoint_id =
           (select max(checkpoint_id) from checkpoints where thread_id = $1 and checkpoint_ns = '')`,
        [thread_id, body.metadata],
      )
      return { body: {} }
    },

    getThreadStateAt: async ({ params, query }) => ({
      body: select(
        await states.read(params.thread_id, { checkpoint_id: params.checkpoint_id }, query.subgraphs),
        query.select?.split(','),
      ),
    }),

    getThreadStateAtCheckpoint: async ({ params, body }) => ({
      body: select(await states.read(params.thread_id, body.checkpoint, body.subgraphs ?? false), body.select),
    }),

    listThreadHistory: async ({ params, query }) => ({ body: await states.history(params.thread_id, query) }),

    searchThreadHistory: async ({ params, body }) => ({
      body: (await states.history(params.thread_id, body)).map((state) => select(state, body.select)),
    }),

    streamThread: async ({ params, query, headers, signal }) => ({
      stream: await streams.open(params.thread_id, {
        modes: query.stream_mode ?? query.stream_modes,
        lastEventId: headers.get('last-event-id'),
        signal,
      }),
      headers: { ...EVENT_STREAM, Location: `/threads/${params.thread_id}/stream` },
    }),

    streamThreadEvents: async ({ params, body, signal }) => ({
      stream: await events.open(params.thread_id, body, signal),
      headers: EVENT_STREAM,
    }),

    sendThreadCommand: async ({ params, body, caller }) => ({
      body: await commands.as(caller).handle(params.thread_id, body),
    }),
  }
}

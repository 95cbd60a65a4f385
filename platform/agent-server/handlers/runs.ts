import { STREAM_MODE_NAMES } from '@/lib/contracts/wire/stream-modes'
import type { Handlers, Input } from '../http/handler-types'
import { EVENT_STREAM, JSON_STREAM, type Reply } from '../http/http'
import { HttpError, invalid, notFound } from '../kernel/errors'
import { pageHeaders, select } from '../kernel/listing'
import type { Hub } from '../runs/hub'
import type { RunReaders } from '../runs/run-readers'
import type { RunRow } from '../runs/run-record'
import type { RunStarter } from '../runs/run-starter'
import type { RunStopper } from '../runs/run-stopper'
import type { Runs } from '../runs/runs'
import type { Threads } from '../threads/threads'

type RunHandlers = Pick<
  Handlers,
  | 'listRuns'
  | 'createRun'
  | 'createRunStream'
  | 'createRunWait'
  | 'getRun'
  | 'deleteRun'
  | 'joinRun'
  | 'streamRun'
  | 'cancelRun'
  | 'createStatelessRun'
  | 'createStatelessRunStream'
  | 'createStatelessRunWait'
  | 'createRunBatch'
  | 'cancelRuns'
  | 'streamStatelessRun'
>

type Services = {
  runs: Runs
  threads: Threads
  hub: Hub
  readers: RunReaders
  stopper: RunStopper
  starter: RunStarter
}

export function runHandlers({ runs, threads, hub, readers, stopper, starter }: Services): RunHandlers {
  const allOut = (rows: readonly RunRow[]) => Promise.all(rows.map((row) => runs.out(row)))
  const cancelsOnLeave = (runId: string, isAsked: boolean) =>
    isAsked ? () => void runs.cancel(runId, 'interrupt').catch(() => {}) : undefined

  async function createStream(
    threadId: string | undefined,
    { body, query, signal, caller }: Input<'createRunStream'>,
  ): Promise<Reply> {
    const namespaces = query.namespace
    const { subscription, row } = await starter.as(caller).createSubscribed(threadId, body, { namespaces })
    const onLeave = cancelsOnLeave(row.run_id, body.on_disconnect === 'cancel')
    const stream = await readers.stream(row, { signal, namespaces, onLeave }, subscription)
    return { stream, headers: { ...EVENT_STREAM, ...locations(threadId, row, 'stream') } }
  }

  async function createWait(
    threadId: string | undefined,
    { body, signal, caller }: Pick<Input<'createRunWait'>, 'body' | 'signal' | 'caller'>,
  ): Promise<Reply> {
    const { subscription, row } = await starter.as(caller).createSubscribed(threadId, body, { modes: [] })
    const onLeave = cancelsOnLeave(row.run_id, body.on_disconnect === 'cancel')
    return {
      stream: readers.respond(row, { signal, onLeave }, subscription),
      headers: { ...JSON_STREAM, ...locations(threadId, row, 'join') },
    }
  }

  async function joinStream(
    runId: string,
    threadId: string | undefined,
    { query, headers, signal }: Input<'streamRun'>,
  ): Promise<Reply> {
    const run =
      threadId === undefined ? ((await runs.find(runId)) ?? (await goneRun(runId))) : await runs.get(runId, threadId)
    const stream = await readers.stream(run, {
      after: readLastId(headers.get('last-event-id')),
      modes: readModes(query.stream_mode),
      namespaces: query.namespace,
      signal,
      onLeave: cancelsOnLeave(run.run_id, query.cancel_on_disconnect ?? false),
    })
    return {
      stream,
      headers: {
        ...EVENT_STREAM,
        Location: threadId ? `/threads/${threadId}/runs/${runId}/stream` : `/runs/${runId}/stream`,
      },
    }
  }

  /** A stateless run whose record is already removed; its events may still be stored. */
  async function goneRun(runId: string) {
    for await (const _ of hub.stored(runId, -1, Number.MAX_SAFE_INTEGER, 1))
      return { run_id: runId, status: 'gone' as const, is_resumable: true as const }
    throw notFound('Run', runId)
  }

  return {
    async listRuns({ params, query }) {
      await threads.get(params.thread_id)
      const { rows, total } = await runs.list(params.thread_id, query)
      return {
        body: (await allOut(rows)).map((record) => select(record, query.select)),
        headers: pageHeaders(query, rows.length, total),
      }
    },

    async createRun({ params, body, caller }) {
      const row = await starter.as(caller).create(params.thread_id, body)
      return { body: await runs.out(row), headers: locations(params.thread_id, row) }
    },

    createRunStream: (input) => createStream(input.params.thread_id, input),
    createRunWait: (input) => createWait(input.params.thread_id, input),

    getRun: async ({ params }) => ({ body: await runs.out(await runs.get(params.run_id, params.thread_id)) }),

    async deleteRun({ params }) {
      await stopper.removeRun(await runs.get(params.run_id, params.thread_id))
      return {}
    },

    async joinRun({ params, query, signal }) {
      const run = await runs.get(params.run_id, params.thread_id)
      const onLeave = cancelsOnLeave(run.run_id, query.cancel_on_disconnect ?? false)
      return { stream: readers.respond(run, { signal, onLeave }), headers: JSON_STREAM }
    },

    streamRun: (input) => joinStream(input.params.run_id, input.params.thread_id, input),

    async cancelRun({ params, query, signal }) {
      const run = await runs.get(params.run_id, params.thread_id)
      if (!(await runs.cancel(run.run_id, query.action ?? 'interrupt')))
        throw new HttpError(409, `Run ${run.run_id} has already ended.`)
      if (!query.wait) return { status: 202, body: {} }
      await stopper.waitForEnd(run, signal)
      return {}
    },

    async createStatelessRun({ body, caller }) {
      const row = await starter.as(caller).create(undefined, body)
      return { body: await runs.out(row), headers: locations(undefined, row) }
    },

    createStatelessRunStream: (input) => createStream(undefined, { ...input, params: { thread_id: '' } }),
    createStatelessRunWait: (input) => createWait(undefined, input),

    async createRunBatch({ body, caller }) {
      const rows = await starter.as(caller).createBatch(body.map(({ assistantId: _, ...one }) => one))
      return { body: await allOut(rows) }
    },

    async cancelRuns({ body, query, only }) {
      if (!body.status && !body.run_ids?.length)
        throw invalid(['body', 'status'], 'Give a status, or a thread_id with run_ids', 'missing')
      const ids = await runs.inProgress({ threadId: body.thread_id, runIds: body.run_ids, status: body.status, only })
      if (body.run_ids && !ids.length) throw new HttpError(404, 'None of these runs is in progress.')
      await stopper.cancelAll(ids, query.action ?? 'interrupt')
      return {}
    },

    streamStatelessRun: (input) =>
      joinStream(input.params.run_id, undefined, { ...input, params: { thread_id: '', run_id: '' } }),
  }
}

/** Headers that locate the run, and where its events or result can be read again. */
function locations(threadId: string | undefined, row: RunRow, reader?: 'stream' | 'join'): Record<string, string> {
  const own = `/threads/${row.thread_id}/runs/${row.run_id}`
  const shown = threadId === undefined ? `/runs/${row.run_id}` : own
  if (!reader) return { 'Content-Location': shown }
  return { 'Content-Location': shown, Location: reader === 'stream' ? `${shown}/stream` : `${own}/join` }
}

const JOINABLE_MODES: ReadonlySet<string> = new Set([...STREAM_MODE_NAMES, 'metadata', 'error', 'end'])

/** Throws a 422 for a mode that no run has. */
function readModes(modes: readonly string[] | undefined): readonly string[] | undefined {
  if (modes?.every((mode) => JOINABLE_MODES.has(mode)) ?? true) return modes
  throw invalid(['query', 'stream_mode'], `Input should be ${STREAM_MODE_NAMES.join(', ')}`, 'enum')
}

/** `-1` and `-` mean from the start; any other non-number is ignored. */
function readLastId(header: string | null): number | undefined {
  if (header === null) return undefined
  if (header === '-' || header === '-1') return -1
  return /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

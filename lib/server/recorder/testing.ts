import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import type { LogEntry } from '@/lib/stream/log'
import { systemActor } from '../access/actor'
import { insertDirectServer } from '../access/direct-servers'
import { insertWorkspace } from '../access/workspace-settings'
import { db } from '../process/db'
import {
  exportRecording,
  listRecordings,
  type OpenRecording,
  openRecording,
  readRecording,
} from '../records/recordings'
import type { Hub } from './hub'
import type { RecordingsFilter } from './list'
import { chunkAfter, decodeChunk } from './log/chunk'
import { recordings } from './schema'

// For tests only: an agent server that the test controls.

const reader = systemActor('test')
const placeOf = (recording: string) => ({ workspace: 'tests', recording })

/** The current log of a recording of the workspace `tests`. */
export async function logOf(id: string): Promise<LogEntry[]> {
  const log: LogEntry[] = []
  for await (const entries of exportRecording(reader, placeOf(id))) log.push(...entries)
  return log
}

/** The summary of a recording of the workspace `tests`. */
export const summaryOf = (id: string) => readRecording(reader, placeOf(id))

export const pageOf = (filter: Partial<RecordingsFilter> = {}) =>
  listRecordings(reader, { workspace: 'tests', ...filter })

/**
 * Passes every entry after `cursor` to `sink`, then each new one, until the returned function is called. Waits for
 * promises that `sink` returns.
 */
export function follow(
  id: string,
  cursor: number,
  sink: (entries: LogEntry[]) => void | Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  let isOver = false
  let at = cursor
  let isReading = false
  let hasMore = false
  let unsubscribe = () => {}
  const read = async (open: OpenRecording) => {
    hasMore = true
    if (isReading) return
    isReading = true
    while (hasMore && !isOver && !open.log.isAbandoned) {
      hasMore = false
      for (const chunk of await open.read(at)) {
        const bytes = chunkAfter(chunk, at)
        if (!bytes || isOver) continue
        const entries = decodeChunk({ first: at + 1, last: chunk.last, bytes })
        at = chunk.last
        hasMore = true
        await sink(entries)
      }
    }
    isReading = false
    if (open.log.isAbandoned && !isOver) await begin()
  }
  const begin = async () => {
    unsubscribe()
    const open = await openRecording(reader, placeOf(id))
    if (isOver) return
    unsubscribe = open.log.subscribe(() => void read(open).catch(onError))
    await read(open)
  }
  void begin().catch(onError)
  return () => {
    isOver = true
    unsubscribe()
  }
}

/** Inserts a recording that this instance is said to have, in the phase `live` unless told otherwise. Returns its id. */
export async function insertRow({ owner = 0, ...more }: Partial<typeof recordings.$inferInsert>): Promise<string> {
  const id = randomUUID()
  await (await db()).insert(recordings).values({
    ...{ id, workspace: 'tests', deployment: 'one', assistant: 'agent', startedBy: 'ada@example.com', request: '{}' },
    ...{ phase: 'live', isStateless: false, isResumable: true, leaseUntil: sql`now() + interval '20 seconds'` },
    ...more,
    owner,
  })
  return id
}

/** Gives the hub a recorder that only notes what it is told. Returns that. */
export function noteRecorder(hub: Hub, id: string): string[] {
  const told: string[] = []
  const place = { workspace: 'tests', deploymentId: 'one', thread: null, run: null, isStateless: false }
  hub.recorders.set(id, { place, poke: () => told.push('poke'), stop: async (why) => void told.push(why) })
  return told
}

type Event = { event: string; data: string; id: number }

/** One run of the scripted server. Events go to all readers; a resumable run keeps them for a replay. */
export class ScriptedRun {
  readonly events: Event[] = []
  readonly readers = new Set<ServerResponse>()
  status = 'running'
  isResumable = true
  hasIds = true
  state: unknown = { values: { messages: [] }, next: [], tasks: [] }
  /** The Last-Event-ID of each stream so far. */
  readonly opened: (string | undefined)[] = []
  cancelled: string | undefined
  /** As in the run's record. */
  createdAt = '2026-01-01T00:00:00Z'
  updatedAt = '2026-01-01T00:00:00Z'
  body: Record<string, unknown> = {}
  kwargs: Record<string, unknown> = {}

  constructor(
    readonly thread: string,
    readonly id: string,
  ) {}

  emit(event: string, data: unknown): void {
    const one = { event, data: typeof data === 'string' ? data : JSON.stringify(data), id: this.events.length }
    this.events.push(one)
    for (const reader of this.readers) reader.write(this.print(one))
  }
  /** Sends bytes that are no event, such as half of one. */
  raw(text: string): void {
    for (const reader of this.readers) reader.write(text)
  }
  /** Closes the streams, as at the end of a run. */
  close(): void {
    for (const reader of this.readers) reader.end()
    this.readers.clear()
  }
  finish(status = 'success'): void {
    this.status = status
    this.close()
  }
  /** Resets the connections. */
  cut(): void {
    for (const reader of this.readers) reader.destroy()
    this.readers.clear()
  }
  attach(response: ServerResponse, lastEventId: string | undefined): void {
    this.opened.push(lastEventId)
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'content-location': `/threads/${this.thread}/runs/${this.id}`,
    })
    response.write(': open\n\n')
    if (lastEventId !== undefined && this.isResumable)
      for (const one of this.events) if (one.id > Number(lastEventId)) response.write(this.print(one))
    if (this.status !== 'running' && this.status !== 'pending') {
      response.end()
      return
    }
    this.readers.add(response)
    response.on('close', () => this.readers.delete(response))
  }
  print = ({ event, data, id }: Event) => `event: ${event}\ndata: ${data}\n${this.hasIds ? `id: ${id}\n` : ''}\n`
}

/** Starts the server. `onRun` sees each new run before its stream is opened; what it throws becomes the response. */
export async function scriptedServer() {
  const runs = new Map<string, ScriptedRun>()
  let count = 0
  const self = {
    url: '',
    runs,
    onRun: (_run: ScriptedRun): void => {},
    /** Handles the request instead of the server if it returns true. */
    intercept: (_request: IncomingMessage, _response: ServerResponse): boolean => false,
    latest: () => [...runs.values()].at(-1) as ScriptedRun,
    close: async () => {
      for (const run of runs.values()) run.cut()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const json = (response: ServerResponse, status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  const record = (run: ScriptedRun) => ({
    run_id: run.id,
    thread_id: run.thread,
    assistant_id: 'agent',
    status: run.status,
    metadata: run.body.metadata ?? {},
    kwargs: { stream_resumable: run.isResumable, ...run.kwargs },
    created_at: run.createdAt,
    updated_at: run.updatedAt,
  })
  const server = createServer(async (request, response) => {
    if (self.intercept(request, response)) return
    let text = ''
    for await (const part of request) text += part
    const body = text ? JSON.parse(text) : {}
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const [, kind, thread = '', , id = '', verb] = pathname.split('/')
    const run = runs.get(kind === 'runs' ? thread : id)
    if (request.method === 'POST' && pathname === '/threads')
      return json(response, 200, { thread_id: `t${++count}`, metadata: {} })
    if (request.method === 'POST' && pathname.endsWith('/runs/stream')) {
      const made = new ScriptedRun(kind === 'runs' ? `tmp${++count}` : thread, `r${++count}`)
      made.body = body
      runs.set(made.id, made)
      try {
        self.onRun(made)
      } catch (error) {
        runs.delete(made.id)
        return json(response, 422, { detail: (error as Error).message })
      }
      made.attach(response, undefined)
      return made.emit('metadata', { run_id: made.id, attempt: 1 })
    }
    if (pathname.endsWith('/state'))
      return json(
        response,
        200,
        [...runs.values()].find((one) => one.thread === thread)?.state ?? { values: {}, next: [], tasks: [] },
      )
    if (pathname.endsWith('/runs'))
      return json(response, 200, [...runs.values()].filter((one) => one.thread === thread).map(record))
    if (!run) return json(response, 404, { detail: 'Run not found' })
    if (pathname.endsWith('/stream'))
      return run.attach(response, request.headers['last-event-id'] as string | undefined)
    if (verb === 'cancel') {
      run.cancelled = searchParams.get('action') ?? ''
      json(response, 200, {})
      return run.finish('interrupted')
    }
    json(response, 200, record(run))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return self
}
export type ScriptedServer = Awaited<ReturnType<typeof scriptedServer>>

/** A workspace `tests` with one deployment, the server at `url`. Returns the deployment's id. */
export async function workspaceFor(url: string): Promise<string> {
  await insertWorkspace({ kind: 'direct', slug: 'tests', name: 'Tests', dialect: 'graph', allowedOrigins: [] })
  return (await insertDirectServer('tests', { name: 'scripted', url })).id
}

/** Waits until `check` returns something, at most `ms`. */
export async function until<T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 5000,
): Promise<T> {
  for (const end = Date.now() + ms; ; ) {
    const found = await check()
    if (found) return found
    if (Date.now() > end) throw new Error(`Waited ${ms} ms in vain for: ${check}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

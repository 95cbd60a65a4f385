import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises'
import type { Hono } from 'hono'
import { awaitCallbacks } from '../kernel/env'
import { serveInSpan } from '../kernel/telemetry'
import { Assistants } from './assistants/assistants'
import type { GraphConfig } from './assistants/config-file'
import { GraphLoadError, Graphs, readConfig } from './assistants/graphs'
import { Auth } from './auth/auth'
import { CronClock } from './crons/cron-clock'
import { Crons } from './crons/crons'
import { assistantHandlers } from './handlers/assistants'
import { cronHandlers } from './handlers/crons'
import { runHandlers } from './handlers/runs'
import { itemHandlers } from './handlers/store'
import { systemHandlers, VERSION } from './handlers/system'
import { threadHandlers } from './handlers/threads'
import { createApp } from './http/app'
import { loadApp } from './http/custom-app'
import { Metrics } from './http/metrics'
import { type Conditions, meets } from './kernel/conditions'
import { allowOrigins } from './kernel/cors'
import { isDisabled } from './kernel/disabled-groups'
import type { AgentServerSettings } from './kernel/settings'
import { type WebhookRules, webhookRules } from './kernel/webhook-rules'
import { Bus } from './persistence/bus'
import { Db } from './persistence/db'
import { bypassStoreBatching } from './persistence/direct-store'
import { AgentSaver } from './persistence/saver'
import { a2aHandler } from './protocols/a2a'
import { A2aPush } from './protocols/a2a-push'
import { A2aTasks } from './protocols/a2a-tasks'
import { mcpHandler } from './protocols/mcp'
import { McpTools } from './protocols/mcp-tools'
import { ThreadCommands } from './protocols/thread-commands'
import { ThreadEvents } from './protocols/thread-events'
import { ThreadSockets } from './protocols/thread-sockets'
import { StreamCut } from './runs/events'
import { RunFinisher } from './runs/finish'
import { Hub } from './runs/hub'
import { Queue } from './runs/queue'
import { RunReaders } from './runs/run-readers'
import { RunStarter } from './runs/run-starter'
import { RunStopper } from './runs/run-stopper'
import { Runs } from './runs/runs'
import { ThreadStreams } from './runs/thread-stream'
import { ThreadWatch } from './runs/thread-watch'
import { type PushNotice, Webhooks } from './runs/webhooks'
import { findPgvector, type ItemIndex, openIndex } from './store/embeddings'
import { ItemStore, type ItemTtl } from './store/items'
import { Sweeper } from './sweeper'
import { ThreadStates } from './threads/thread-state'
import { Threads } from './threads/threads'

export type AgentServerOptions = AgentServerSettings & {
  log?: (level: 'info' | 'error', message: string, runId?: string) => void
  /** The clock for crons; the current time if absent. */
  now?: () => Date
  /** A run's stream gets a comment after this time without an event. */
  heartbeatMs?: number
  /** How often to look for runs and processes that no notice told of. */
  pollMs?: number
  /** A WebSocket that was silent for this long is asked for a sign of life, and cut if it gives none. */
  pingMs?: number
  /** Delays between attempts to deliver a webhook. */
  backOffMs?: readonly number[]
}

export type AgentServer = {
  url: string
  port: number
  /** Whether the deployment's own code authenticates callers. */
  authenticates: boolean
  /** Claims no new runs but still answers requests. Resolves when no run executes here. */
  drain(): Promise<void>
  /** Returns runs in progress to the queue and closes every connection, within 4 s. */
  stop(): Promise<void>
}

/** Parts of the four-second stop: for runs to reach their next step, and for the last traces to be sent. */
const STEP_GRACE_MS = 1500
const TRACES_MS = 800

/**
 * Serves the graphs of one deployment. Resolves when all of them are loaded and checked; rejects with a
 * GraphLoadError for an unusable one, or if the store cannot be opened, and cleans up.
 */
export async function startAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  const { log = () => {}, isTracing = false } = options
  const logError = (line: string) => log('error', line)
  const db = await Db.open(options, logError)
  let bus: Bus | undefined
  try {
    const saver = new AgentSaver(db)
    const config = await readConfig(options.configPath)
    const ttl = config.store?.ttl ?? {}
    const folder = path.dirname(options.configPath)
    const opened = await openIndex(config.store?.index, folder, (line) => log('info', line))
    const index = opened && { ...opened, pgvector: await findPgvector(db) }
    const store = new ItemStore(db, ttl, 'doubles', index)
    bypassStoreBatching()
    awaitCallbacks()
    await db.migrate(() => saver.setup())
    const graphs = await Graphs.load(config.graphs, folder, { saver, store })
    const assistants = new Assistants(db, graphs)
    await assistants.ensureDefaults()
    const { path: authPath, disable_studio_auth } = config.auth ?? {}
    const auth = authPath ? await loadOwn('auth', () => Auth.load(authPath, folder, !disable_studio_auth)) : undefined
    const appPath = config.http?.app
    const custom = appPath ? await loadOwn('http.app', () => loadApp(appPath, folder)) : undefined
    bus = await Bus.open(db, options.owner ?? 'agent-server', logError, { hangMs: options.hangMs })
    return await serve(options, {
      db,
      bus,
      saver,
      store,
      ttl,
      index,
      config,
      graphs,
      assistants,
      auth,
      custom,
      log,
      logError,
      isTracing,
    })
  } catch (error) {
    await bus?.close()
    await db.close()
    throw error
  }
}

type Parts = {
  db: Db
  bus: Bus
  saver: AgentSaver
  store: ItemStore
  ttl: ItemTtl
  index: ItemIndex | undefined
  config: GraphConfig
  graphs: Graphs
  assistants: Assistants
  auth: Auth | undefined
  custom: Hono | undefined
  log: NonNullable<AgentServerOptions['log']>
  logError: (line: string) => void
  isTracing: boolean
}

/** Rejects with a GraphLoadError for headers that cannot be filled. */
function openWebhooks({ webhooks, http }: GraphConfig, ranges: WebhookRules['ranges']): WebhookRules {
  try {
    return webhookRules(webhooks, ranges, http?.disable_webhooks ?? false)
  } catch (error) {
    throw new GraphLoadError(undefined, (error as Error).message)
  }
}

/** Loads code of the deployment. Rejects with a GraphLoadError: it must not start without its protection or its routes. */
async function loadOwn<T>(key: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw new GraphLoadError(undefined, `${key} of the graph configuration file: ${(error as Error).message}`, error)
  }
}

async function serve(options: AgentServerOptions, parts: Parts): Promise<AgentServer> {
  const { secret, port = 0, host = '127.0.0.1', info, now, webhookRanges = [] } = options
  const { db, bus, saver, store, ttl, index, config, graphs, assistants, auth, custom, log, logError, isTracing } =
    parts
  const rules = openWebhooks(config, webhookRanges)
  const { default_ttl, strategy } = config.checkpointer?.ttl ?? {}
  const threadTtl = default_ttl ? { ttl: default_ttl, strategy } : undefined
  const threads = new Threads(db, threadTtl)
  const states = new ThreadStates(threads, graphs, saver)
  const runs = new Runs(db, bus, threadTtl)
  const hub = new Hub(db, bus, logError)
  const readers = new RunReaders(hub, runs, threads, states, options.heartbeatMs)
  const metrics = new Metrics({
    db,
    active: () => queue.size,
    readers: () => readers.openCount,
    sockets: () => sockets.size,
  })
  const tasks = new A2aTasks(db, threads, states)
  const push = new A2aPush(db, tasks, rules, () => webhooks.wake())
  const pushRequest = (notice: PushNotice) => push.requestOf(notice)
  const webhooks = new Webhooks({ db, rules, log, backOffMs: options.backOffMs, pushRequest })
  const finisher = new RunFinisher(db, bus, threads, states, () => webhooks.wake())
  const queue = new Queue({ graphs, saver, db, isTracing }, bus, hub, finisher, log, metrics, options.pollMs)
  const stopper = new RunStopper(runs, threads, readers)
  const starter = new RunStarter({ runs, assistants, graphs, readers, threads, states, webhookRules: rules, db })
  const crons = new Crons(db, assistants, (threadId, body) => starter.check(threadId, body), now)
  const clock = new CronClock({ db, crons, starter, log, now })
  const watch = new ThreadWatch(db, bus, logError)
  const streams = new ThreadStreams(db, bus, threads, states, readers, watch)
  const events = new ThreadEvents({ db, bus, threads, readers, watch })
  const commands = new ThreadCommands({ runs, threads, states, starter, hub })
  const tools = new McpTools(assistants, graphs)
  const inputFields = (graphId: string) => tools.inputFields(graphId)
  const sweeper = new Sweeper({ db, stopper, threads, store, logError, itemMinutes: ttl.sweep_interval_minutes })

  const deleteThreadsOf = async (assistantId: string, only: Conditions) => {
    const found = await db.query<{ thread_id: string }>(
      `select thread_id from threads where metadata @> $1 and ${meets('metadata', '$2')}`,
      [{ assistant_id: assistantId }, only ?? []],
    )
    for (const { thread_id } of found) await stopper.removeThread(thread_id)
  }
  const app = createApp({
    handlers: {
      ...assistantHandlers(assistants, graphs, deleteThreadsOf),
      ...threadHandlers({ db, threads, states, stopper, streams, events, commands }),
      ...runHandlers({ runs, threads, hub, readers, stopper, starter }),
      ...cronHandlers(crons, clock, threads),
      ...itemHandlers(new ItemStore(db, ttl, 'exact', index)),
      ...systemHandlers({ db, metrics, graphs, assistants, tools, hasPush: push.isOn, info }),
    },
    rpc: {
      sendMcp: mcpHandler({
        tools,
        starter,
        readers,
        runs,
        logError,
        identity: { name: 'agent-server', version: VERSION },
      }),
      sendA2a: a2aHandler({ tasks, starter, stopper, readers, runs, push, logError, inputFields }, assistants),
    },
    observe: (method, route, status) => metrics.request(method, route, status),
    ignore: (client, route, field) => {
      if (metrics.ignoredFields.note(client, route, field))
        log('info', `${client.slice(0, 100) || 'A client'} sent ${field} to ${route}; this server does not know it.`)
    },
    isDisabled: (path) => isDisabled(path, config.http ?? {}),
    auth: auth && { by: auth, db: db.query, idOf: (assistant) => assistants.idOf(assistant) },
    custom,
    cors: allowOrigins(config.http?.cors ?? {}, options.corsOrigins ?? '*'),
    secret,
    logError,
  })

  const sockets = new ThreadSockets({
    fetch: app.fetch,
    allowsCredentials: config.http?.cors?.allow_credentials ?? false,
    logError,
    pingMs: options.pingMs,
  })
  const server = createAdaptorServer({
    fetch: (request, env) =>
      serveInSpan(env.incoming as IncomingMessage, env.outgoing as ServerResponse, 'request', () =>
        app.fetch(request, env),
      ),
  }) as Server
  sockets.serve(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  queue.start()
  sweeper.start()
  webhooks.start()
  clock.wake()

  let stopping: Promise<void> | undefined
  const stop = async () => {
    server.close()
    sweeper.stop()
    await clock.stop()
    metrics.stop()
    await queue.stop(STEP_GRACE_MS)
    await webhooks.stop()
    // A connection error rather than a clean end, so that the client reconnects and continues.
    sockets.close()
    hub.cut(new StreamCut('The agent server is stopping.'))
    if ('closeIdleConnections' in server) server.closeIdleConnections()
    await Promise.race([awaitAllCallbacks(), sleep(TRACES_MS)])
    if ('closeAllConnections' in server) server.closeAllConnections()
    await bus.close()
    await db.close()
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    authenticates: auth !== undefined,
    drain: async () => {
      await clock.stop()
      await queue.drain()
    },
    stop: () => (stopping ??= stop()),
  }
}

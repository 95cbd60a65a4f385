import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises'
import { createApp } from './app'
import { assistantHandlers } from './assistant-handlers'
import { Assistants } from './assistants'
import { Bus } from './bus'
import { Db } from './db'
import { Endings } from './endings'
import { StreamCut } from './events'
import { Graphs } from './graphs'
import { Hub } from './hub'
import { Joins } from './join'
import { Queue } from './queue'
import { runHandlers } from './run-handlers'
import { RunStopper } from './run-stopper'
import { Runs } from './runs'
import { AgentSaver } from './saver'
import type { AgentServerSettings } from './settings'
import { Sweeper } from './sweeper'
import { absentHandlers, systemHandlers } from './system-handlers'
import { threadHandlers } from './thread-handlers'
import { ThreadStates } from './thread-state'
import { Threads } from './threads'

export type AgentServerOptions = AgentServerSettings & {
  log?: (level: 'info' | 'error', message: string, runId?: string) => void
}

export type AgentServer = {
  url: string
  port: number
  /** Takes no new work from the queue; requests are still answered. */
  drain(): void
  /** Gives runs in progress back to the store and closes every connection; done within 4 s. */
  stop(): Promise<void>
}

/** Of the four seconds for a stop: for runs to reach their next step, and for the last traces to leave. */
const STEP_GRACE_MS = 1500
const TRACES_MS = 800

/**
 * Serves the graphs of one deployment on 127.0.0.1. Resolves when all of them are loaded, checked and drawn; rejects with
 * a GraphLoadError for one that cannot be used, and when the store cannot be opened. Leaves nothing behind then.
 */
export async function startAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  const { log = () => {}, isTracing = false } = options
  const complain = (line: string) => log('error', line)
  const db = new Db(options.databaseUrl, options.schema, complain)
  let bus: Bus | undefined
  try {
    const saver = new AgentSaver(db)
    await db.migrate(() => saver.setup())
    const graphs = await Graphs.load(options.configPath, saver)
    const assistants = new Assistants(db, graphs)
    await assistants.ensureDefaults()
    bus = await Bus.open(db, options.owner ?? 'agent-server', complain)
    return await serve(options, { db, bus, saver, graphs, assistants, log, complain, isTracing })
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
  graphs: Graphs
  assistants: Assistants
  log: NonNullable<AgentServerOptions['log']>
  complain: (line: string) => void
  isTracing: boolean
}

async function serve({ secret, port = 0, info }: AgentServerOptions, parts: Parts): Promise<AgentServer> {
  const { db, bus, saver, graphs, assistants, log, complain, isTracing } = parts
  const threads = new Threads(db)
  const states = new ThreadStates(threads, graphs, saver)
  const runs = new Runs(db, bus)
  const hub = new Hub(db, bus, complain)
  const joins = new Joins(hub, runs, threads, states)
  const queue = new Queue({ graphs, saver, db, isTracing }, bus, hub, new Endings(db, bus, threads, states), log)
  const stopper = new RunStopper(runs, threads, joins)
  const sweeper = new Sweeper(db, stopper, complain)

  const deleteThreadsOf = async (assistantId: string) => {
    const found = await db.query<{ thread_id: string }>('select thread_id from threads where metadata @> $1', [
      { assistant_id: assistantId },
    ])
    for (const { thread_id } of found) await stopper.removeThread(thread_id)
  }
  const app = createApp({
    handlers: {
      ...absentHandlers,
      ...assistantHandlers(assistants, graphs, deleteThreadsOf),
      ...threadHandlers(db, threads, states, stopper),
      ...runHandlers({ runs, threads, assistants, graphs, queue, hub, joins, stopper }),
      ...systemHandlers(db, info),
    },
    secret,
    complain,
  })

  const server = createAdaptorServer({ fetch: app.fetch })
  // Streams and long answers have no limit; the gateway sees when the other side is gone.
  if ('requestTimeout' in server) server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address() as AddressInfo
  queue.start()
  sweeper.start()

  let stopping: Promise<void> | undefined
  const stop = async () => {
    server.close()
    sweeper.stop()
    await queue.stop(STEP_GRACE_MS)
    // An error on the wire, not an end: the client connects again and goes on reading.
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
    drain: () => queue.drain(),
    stop: () => (stopping ??= stop()),
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import type { Servers } from '../compute/compute'
import { createGateway } from '../gateway/gateway'
import { asProcessEnv, baseEnvironment } from '../kernel/env'
import { Db } from './persistence/db'
import { AgentSaver } from './persistence/saver'
import { type AgentServer, type AgentServerOptions, startAgentServer } from './start'

/** For tests: servers on their own databases, and a client that exposes raw responses. */

type Json = Record<string, unknown>
// Tests check what they read by their expectations.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type TestResponse = { status: number; headers: Headers; json: any; text: string }
// biome-ignore lint/suspicious/noExplicitAny: see above
export type ReceivedEvent = { id: string; event: string; data: any }

export const fixtures = path.join(import.meta.dirname, 'fixtures/graph.json')
/** Fewer graphs for separate processes, which then start faster. */
const few = path.join(import.meta.dirname, 'fixtures/few.json')
const bundle = path.resolve(import.meta.dirname, '../../.build/agent-server.mjs')
const SCHEMA = 'agent_test'

export class Client {
  constructor(
    readonly url: string,
    protected headers: Record<string, string> = {},
  ) {}

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    const response = await this.open(method, path, body, headers)
    const text = await response.text()
    let json: unknown
    try {
      json = text === '' ? undefined : JSON.parse(text)
    } catch {
      json = undefined
    }
    return { status: response.status, headers: response.headers, json, text }
  }

  /** The response before its body is read; the caller must read or cancel the body. */
  open(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: { ...this.headers, 'content-type': 'application/json', ...headers },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      signal,
    })
  }

  get = (path: string, headers?: Record<string, string>) => this.request('GET', path, undefined, headers)
  post = (path: string, body: unknown = {}, headers?: Record<string, string>) =>
    this.request('POST', path, body, headers)

  /** All events of a stream, to its end. */
  async stream(path: string, body: Json): Promise<ReceivedEvent[]> {
    return collect(readEvents(await this.open('POST', path, body)))
  }

  async join(path: string, headers?: Record<string, string>): Promise<ReceivedEvent[]> {
    return collect(readEvents(await this.open('GET', path, undefined, headers)))
  }

  async newThread(body: Json = {}): Promise<string> {
    return (await this.post('/threads', body)).json.thread_id as string
  }

  /** Waits until the run has the status, at most 20 s. */
  async until(threadId: string, runId: string, status: string): Promise<TestResponse> {
    for (const end = Date.now() + 20_000; Date.now() < end; ) {
      const response = await this.get(`/threads/${threadId}/runs/${runId}`)
      if (response.json?.status === status) return response
      await sleep(25)
    }
    throw new Error(`Run ${runId} did not become ${status}.`)
  }
}

export async function* readEvents(response: Response): AsyncGenerator<ReceivedEvent> {
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`)
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { id, event, data } of events as unknown as AsyncIterable<EventSourceMessage>)
    yield { id: id ?? '', event: event ?? '', data: JSON.parse(data) }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The next event with this name. */
export async function nextEvent(events: AsyncGenerator<ReceivedEvent>, kind: string): Promise<ReceivedEvent> {
  for (let one = await events.next(); !one.done; one = await events.next())
    if (one.value.event === kind) return one.value
  throw new Error(`The stream ended without ${kind}.`)
}

export type TestServer = Client & { server: AgentServer; databaseUrl: string; logs: string[]; close(): Promise<void> }

const MIGRATED = {
  name: 'migrated_agent',
  async migrate(url: string) {
    const db = new Db(url, SCHEMA, () => {})
    const saver = new AgentSaver(db)
    await db.migrate(() => saver.setup())
    await db.close()
  },
}

/** The tables of a server that nobody serves. Call `close` when done. */
export async function testTables(): Promise<{ db: Db; close(): Promise<void> }> {
  const database = await testDatabase(MIGRATED)
  const db = new Db(database.url, SCHEMA, () => {})
  return {
    db,
    close: async () => {
      await db.close()
      await database.drop()
    },
  }
}

/** A server in this process, on a fresh database or on that of another server, at the same time or afterwards. */
export async function testServer(options: Partial<AgentServerOptions> = {}): Promise<TestServer> {
  const database = options.databaseUrl ? undefined : await testDatabase(MIGRATED)
  const databaseUrl = options.databaseUrl ?? (database as { url: string }).url
  const logs: string[] = []
  const server = await startAgentServer({
    schema: SCHEMA,
    configPath: fixtures,
    log: (_, message) => void logs.push(message),
    ...options,
    databaseUrl,
  })
  const { secret } = options
  return Object.assign(new Client(server.url, secret ? { 'x-pilothouse-child': secret } : {}), {
    server,
    databaseUrl,
    logs,
    close: async () => {
      await server.stop()
      await database?.drop()
    },
  })
}

export type ChildServer = Client & {
  child: ChildProcess
  output: string[]
  kill(signal: NodeJS.Signals): Promise<void>
}

/** The bundled server as a separate process, as the roll-out starts it. Rejects with the reason of a failed start. */
export async function childServer(
  databaseUrl: string,
  env: Record<string, string> = {},
  configPath = few,
): Promise<ChildServer> {
  const output: string[] = []
  const child = fork(bundle, {
    env: asProcessEnv({
      ...baseEnvironment(),
      PILOTHOUSE_AGENT_DATABASE_URL: databaseUrl,
      PILOTHOUSE_AGENT_SCHEMA: SCHEMA,
      PILOTHOUSE_AGENT_CONFIG: configPath,
      PILOTHOUSE_AGENT_OWNER: 'test',
      ...env,
    }),
    silent: true,
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => output.push(String(data)))
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The agent server ended with ${code}: ${output.join('')}`)
    }),
  ])) as [{ ready?: { port: number }; failed?: { graph?: string; message: string } }]
  if (!message.ready) throw new Error(JSON.stringify(message.failed))
  const secret = env.PILOTHOUSE_AGENT_SECRET
  return Object.assign(
    new Client(`http://127.0.0.1:${message.ready.port}`, secret ? { 'x-pilothouse-child': secret } : {}),
    {
      child,
      output,
      kill: async (signal: NodeJS.Signals) => {
        const exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
        child.kill(signal)
        await exit
      },
    },
  )
}

type Start = (env?: Record<string, string>, config?: string) => Promise<ChildServer>

/**
 * A database with servers on it. `start` starts a process, which takes a second and a half; `serve` starts one in this
 * process in a tenth of that.
 */
export type TestStore = { url: string; start: Start; serve(): Promise<TestServer>; close(): Promise<void> }

export async function testStore(): Promise<TestStore> {
  const database = await testDatabase(MIGRATED)
  const children: ChildServer[] = []
  const servers: TestServer[] = []
  return {
    url: database.url,
    start: async (env, config) => {
      const child = await childServer(database.url, env, config)
      children.push(child)
      return child
    },
    serve: async () => {
      const server = await testServer({ databaseUrl: database.url, configPath: few })
      servers.push(server)
      return server
    },
    close: async () => {
      await Promise.all([...children.map((child) => child.kill('SIGKILL')), ...servers.map((server) => server.close())])
      await database.drop()
    },
  }
}

/** A test with its own database; servers on it stop when the test ends. */
export const storeTest = test.extend<{ store: Omit<TestStore, 'close'> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the needed fixtures off this pattern
  store: async ({}, use) => {
    const store = await testStore()
    await use(store)
    await store.close()
  },
})

export const DEPLOYMENT_ID = 'a0000000-0000-4000-8000-000000000001'
export const API_KEY = 'key-of-the-test'
const GATEWAY_SECRET = 'secret of the gateway'

/** An agent server behind the gateway: `deploymentUrl` is its public address, for requests with the key. */
export async function serverBehindGateway(options: Partial<AgentServerOptions> = {}): Promise<{
  server: TestServer
  deploymentUrl: string
  close(): Promise<void>
}> {
  const server = await testServer({ ...options, secret: GATEWAY_SECRET })
  // The gateway uses nothing else of the child.
  const { port: agentPort, authenticates } = server.server
  const child = {
    host: '127.0.0.1',
    port: agentPort,
    authenticates,
    secret: GATEWAY_SECRET,
    openRequests: 0,
  } as Servers
  const { serve, serveWebSockets, closeWebSockets } = createGateway({
    target: () => ({ state: 'up', child }),
    isKey: (given) => given === API_KEY,
  })
  const gateway = createServer(serve)
  serveWebSockets(gateway)
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const { port } = gateway.address() as AddressInfo
  return {
    server,
    deploymentUrl: `http://127.0.0.1:${port}/agents/${DEPLOYMENT_ID}`,
    close: async () => {
      gateway.closeAllConnections()
      gateway.close()
      await server.close()
      closeWebSockets()
    },
  }
}

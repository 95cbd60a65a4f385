import { randomBytes } from 'node:crypto'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { z } from 'zod'
import { hangMs } from '../../kernel/env'
import { readLines } from '../../kernel/lines'
import { watchProcessGroup } from '../../kernel/reaper'
import type { Confinement } from '../../sandbox/confinement'
import { type Servers, StartError } from '../compute'
import { watchForHang } from './hang-watch'
import { heapLimitFor, watchMemory } from './memory-limit'

const Announcement = z.union([
  z.object({
    ready: z.object({ port: z.number().int().min(1).max(65535), authenticates: z.boolean().default(false) }),
  }),
  z.object({ failed: z.object({ graph: z.string().optional(), message: z.string() }) }),
])
type Ready = { port: number; authenticates: boolean }
/** The reply to `retire`, once no run executes. */
const Idle = z.object({ idle: z.literal(true) })

/** The pipe after the standard streams and the message channel. */
const SECRETS_FD = 4

export type ChildOptions = {
  entry: string
  /** The revision's folder. */
  cwd: string
  confinement: Confinement
  /** Everything except the gateway's secret and the addresses of the database. */
  env: Record<string, string>
  databaseUrl: string
  /** The same through a pooler. */
  poolerUrl?: string | undefined
  /** The operator's settings of OpenTelemetry, which hold the collector's key. */
  telemetry: Record<string, string>
  /** What requests must carry; random if absent. */
  secret?: string | undefined
  signal: AbortSignal
  timeoutMs: number
  /** A process over this limit is killed. */
  memoryLimitMb?: number | undefined
  onLine(line: string, isError: boolean): void
}

/** A shell in between reports a signal as an exit code over 128. */
function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  const killer = signal ?? Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0]
  return killer ? `killed by ${killer}` : `exit code ${code}`
}

/** A running agent server. */
export type AgentChild = Servers & {
  readonly pid: number
  /** The process group of everything that belongs to it. */
  readonly group: number
}

/** Starts an agent server and waits until it reports ready. Rejects with a StartError and then leaves no process behind. */
export async function startChild(options: ChildOptions): Promise<AgentChild> {
  options.signal.throwIfAborted()
  const secret = options.secret ?? randomBytes(32).toString('base64url')
  const limitMb = options.memoryLimitMb
  const heap = limitMb ? [`--max-old-space-size=${heapLimitFor(limitMb)}`] : []
  const { confinement } = options
  // It leads a process group: everything that graph code started ends with it, and Ctrl-C in the terminal leaves the order
  // of stopping to us.
  const node = confinement.spawn([process.execPath, '--enable-source-maps', ...heap, options.entry], {
    cwd: options.cwd,
    env: { ...options.env, PILOTHOUSE_SECRETS_FD: String(SECRETS_FD) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    writable: [options.cwd],
  })
  const secrets = node.stdio[SECRETS_FD] as Writable
  // A process that ended before reading them is reported by its exit.
  secrets.on('error', () => {})
  secrets.end(
    JSON.stringify({
      PILOTHOUSE_AGENT_SECRET: secret,
      PILOTHOUSE_AGENT_DATABASE_URL: options.databaseUrl,
      PILOTHOUSE_AGENT_POOLER_URL: options.poolerUrl,
      PILOTHOUSE_AGENT_TELEMETRY: JSON.stringify(options.telemetry),
    }),
  )
  if (node.stdout) readLines(node.stdout, (line) => options.onLine(line, false))
  if (node.stderr) readLines(node.stderr, (line) => options.onLine(line, true))

  const release = watchProcessGroup(node.pid, 'later')
  let isOver = false
  let reason: string | undefined
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      isOver = true
      unwatch()
      resolve(reason ?? how)
    }
    node.once('error', (error) => end(`it could not be started: ${error.message}`))
    node.once('exit', (code, signal) => end(describeEnd(code, signal)))
  })
  const kill = () => {
    try {
      if (node.pid) process.kill(-node.pid, 'SIGKILL')
    } catch {
      // gone in the meantime
    }
  }
  const killFor = (why: string) => {
    reason = why
    kill()
  }
  const unwatch = watchMemory(() => confinement.programOf(node), limitMb, killFor)
  const stop = async (graceMs: number) => {
    if (!isOver) {
      // It ends in order when the channel closes. A signal would reach the step that confines it.
      if (graceMs > 0 && node.connected) node.disconnect()
      const timer = setTimeout(kill, graceMs)
      await ended
      clearTimeout(timer)
    }
    // Kill everything it started.
    kill()
    release()
  }

  let ready: Ready
  try {
    ready = await announced()
  } catch (error) {
    await stop(0)
    throw error
  }
  // Not before: a graph may load for long, within a limit of its own.
  const limitMs = hangMs()
  const unask = watchForHang(node, limitMs, () => killFor(`killed because it did not respond for ${limitMs / 1000} s`))
  void ended.then(unask)
  let isIdle = false
  node.on('message', (message) => {
    isIdle ||= Idle.safeParse(message).success
  })
  const pid = confinement.programOf(node) ?? (node.pid as number)
  return {
    name: `process ${pid}`,
    pid,
    group: node.pid as number,
    host: '127.0.0.1',
    ...ready,
    endsWithPlatform: true,
    secret,
    openRequests: 0,
    get isIdle() {
      return isIdle
    },
    get status() {
      return { ready: isOver ? 0 : 1, wanted: 1 }
    },
    ended,
    isRunning: () => !isOver,
    receive: async () => {},
    retire: () => {
      if (node.connected) node.send({ drain: true }, () => {})
    },
    stop,
    release: stop,
  }

  function announced(): Promise<Ready> {
    return new Promise((resolve, reject) => {
      const conclude = (act: () => void) => {
        clearTimeout(timer)
        options.signal.removeEventListener('abort', abort)
        act()
      }
      const fail = (message: string) => conclude(() => reject(new StartError(message)))
      const abort = () => conclude(() => reject(options.signal.reason as Error))
      const timer = setTimeout(
        () => fail(`The agent server was not ready within ${Math.round(options.timeoutMs / 1000)} s.`),
        options.timeoutMs,
      )
      options.signal.addEventListener('abort', abort, { once: true })
      node.on('message', (message) => {
        const parsed = Announcement.safeParse(message)
        if (!parsed.success) return
        if ('ready' in parsed.data) return conclude(() => resolve((parsed.data as { ready: Ready }).ready))
        const { graph, message: why } = parsed.data.failed
        fail(graph ? `Graph "${graph}" cannot be loaded: ${why}` : why)
      })
      void ended.then((how) => fail(`The agent server ended before it was ready: ${how}.`))
    })
  }
}

import 'server-only'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@/lib/errors'
import { within } from './within'

/** Longest time from the signal to the exit for the last work. The launcher kills after 7 s. */
const LAST_WORK_MS = 5_000
/** Between two viewers that are sent away, and for all of them. A new instance answers about fifty a second at first. */
const EACH_VIEWER_MS = 20
const ALL_VIEWERS_MS = 1_500
// On globalThis: instrumentation and other parts of the build each have their own copy of this module.
const shared = globalThis as {
  pilothouseShutdown?: AbortController
  pilothouseLastWork?: Promise<unknown>[]
  pilothouseViewers?: Set<() => void>
  pilothouseDrain?: Promise<void>
}

/**
 * Aborted when this process is told to stop. Long-lived responses must join it, because the server waits for open
 * streams.
 */
export function shutdownSignal(): AbortSignal {
  if (!shared.pilothouseShutdown) {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal) // one per open stream
    shared.pilothouseShutdown = controller
    const stop = () => {
      holdExit(Date.now() + LAST_WORK_MS)
      controller.abort(
        new AppError('stopping', 'The console is stopping. Try again in a moment.', { retryAfterMs: 5000 }),
      )
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    if (process.channel) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')) // the launcher died
  }
  return shared.pilothouseShutdown.signal
}

/** The work begins when this process is told to stop, and the process does not exit before its end. */
export function beforeExit(work: () => Promise<unknown>): void {
  const begin = () => {
    shared.pilothouseLastWork ??= []
    shared.pilothouseLastWork.push(work())
  }
  shutdownSignal().addEventListener('abort', begin, { once: true })
}

/**
 * Calls `leave` when this process is told to stop: of many, one after another, because all their browsers reconnect to the other
 * instances. Returns how to take it back.
 */
export function onDrain(leave: () => void): () => void {
  if (!shared.pilothouseViewers) {
    shared.pilothouseViewers = new Set()
    shutdownSignal().addEventListener('abort', () => void drainViewers(), { once: true })
  }
  const viewers = shared.pilothouseViewers
  viewers.add(leave)
  return () => viewers.delete(leave)
}

/** Resolves when the last viewer has been told to leave. */
export function drainViewers(): Promise<void> {
  shared.pilothouseDrain ??= drain(shared.pilothouseViewers ?? new Set())
  return shared.pilothouseDrain
}

async function drain(viewers: ReadonlySet<() => void>): Promise<void> {
  const together = Math.ceil((viewers.size * EACH_VIEWER_MS) / ALL_VIEWERS_MS)
  let told = 0
  for (const leave of viewers) {
    leave()
    if (++told % together === 0) await sleep(EACH_VIEWER_MS)
  }
}

/**
 * Next.js calls `exit` as soon as its server has closed, and offers no way to delay that except handling the signals and
 * closing the server in its place. Its code names the signal, which container runtimes show as a failure: an orderly stop ends
 * with 0. A second call exits at once.
 */
function holdExit(until: number): void {
  const { exit } = process
  process.exit = (code) => {
    process.exit = exit
    const work = Promise.allSettled(shared.pilothouseLastWork ?? [])
    void within(Math.max(0, until - Date.now()), work, undefined).then(() => exit(Number(code) > 128 ? 0 : code))
    return undefined as never
  }
}

import 'server-only'
import { setMaxListeners } from 'node:events'
import { AppError } from '@/lib/errors'
import { within } from './within'

/** Longest time from the signal to the exit for the last work. The launcher kills after 7 s. */
const LAST_WORK_MS = 5_000
// On globalThis: instrumentation and other parts of the build each have their own copy of this module.
const shared = globalThis as { pilothouseShutdown?: AbortController; pilothouseLastWork?: Promise<unknown>[] }

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

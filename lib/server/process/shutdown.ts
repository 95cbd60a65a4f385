import 'server-only'
import { setMaxListeners } from 'node:events'
import { AppError } from '@/lib/errors'

const shared = globalThis as { pilothouseShutdown?: AbortController }

/**
 * Aborted when this process is told to stop. Long-lived responses must join it, because the server waits for open
 * streams.
 */
export function shutdownSignal(): AbortSignal {
  if (!shared.pilothouseShutdown) {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal) // one per open stream
    shared.pilothouseShutdown = controller
    const stop = () =>
      controller.abort(
        new AppError('stopping', 'The console is stopping. Try again in a moment.', { retryAfterMs: 5000 }),
      )
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    if (process.channel) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')) // the launcher died
  }
  return shared.pilothouseShutdown.signal
}

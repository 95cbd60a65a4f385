import 'server-only'
import { AsyncResource } from 'node:async_hooks'

// On globalThis: instrumentation, pages and actions each have their own copy of this module.
const shared = globalThis as { pilothouseOutside?: AsyncResource }

/** To be called while no request is being handled. */
export function noteOutside(): void {
  shared.pilothouseOutside ??= new AsyncResource('pilothouse')
}

/**
 * Does work that goes on after its request. Whatever is begun in a request otherwise keeps all of it in memory, as its async
 * context: a run for as long as it is followed.
 */
export const outside = <T>(work: () => T): T =>
  shared.pilothouseOutside ? shared.pilothouseOutside.runInAsyncScope(work) : work()

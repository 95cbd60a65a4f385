import 'server-only'
import { frame, valueFrame } from '../transport/frames'
import { clusterReader } from './cluster-read'
import { Poller } from './poller'
import type { Source } from './source'
import type { LiveTiming } from './timing'
import { type Polled, watch } from './watch'

// On globalThis: each route has its own copy of this module, and a list is read once per process, and by one of them.
const shared = globalThis as { pilothousePollers?: Map<string, Poller<unknown>> }

function pollerFor(wanted: Polled, limit: readonly string[] | null, timing: LiveTiming['poll']): Poller<unknown> {
  shared.pilothousePollers ??= new Map()
  const pollers = shared.pilothousePollers
  // The brief and the whole form share one poller.
  const { id: _, isBrief: __, ...what } = { isBrief: false, ...wanted }
  const key = JSON.stringify([what, limit])
  let poller = pollers.get(key)
  if (!poller) {
    // Recordings are in the database already.
    const reader = wanted.kind === 'recordings' ? undefined : clusterReader<unknown>(key)
    poller = new Poller(watch(wanted, limit), timing, () => pollers.delete(key), reader)
    pollers.set(key, poller)
  }
  return poller
}

/**
 * A record or list that all connections read through one poller. Sent when it changes; a slow connection only gets the
 * newest value.
 */
export class PolledSource implements Source {
  readonly id: string
  readonly workspace: string
  readonly #poller: Poller<unknown>
  readonly #unsubscribe: () => void
  readonly #isBrief: boolean
  #version = 0

  /** `limit`: the only deployments of which a list for this connection may tell. */
  constructor(wanted: Polled, limit: readonly string[] | null, onNews: () => void, timing: LiveTiming['poll']) {
    this.id = wanted.id
    this.workspace = wanted.workspace
    this.#isBrief = wanted.kind === 'inbox' && wanted.isBrief === true
    this.#poller = pollerFor(wanted, limit, timing)
    this.#unsubscribe = this.#poller.subscribe(onNews)
  }

  take(): Buffer[] {
    const { seen } = this.#poller
    if (seen.version === this.#version) return []
    this.#version = seen.version
    if (seen.kind === 'value')
      return [valueFrame(this.id, (this.#isBrief ? seen.brief : undefined) ?? seen.text, seen.at)]
    if (seen.kind === 'error') {
      const { code, message, since, at } = seen
      return [frame({ id: this.id, error: { code, message, since }, at })]
    }
    return []
  }

  close(): void {
    this.#unsubscribe()
  }
}

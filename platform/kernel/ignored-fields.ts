import { Counter, type Registry } from 'prom-client'
import { clientName } from './lenient'

const MAX_COUNTED = 100

/** Counts the fields of requests that a server does not know, by client as it names itself. */
export class IgnoredFields {
  readonly #seen = new Set<string>()
  readonly #counter: Counter<'client' | 'route' | 'field'>

  constructor(name: string, registry: Registry) {
    this.#counter = new Counter({
      name,
      help: 'Request fields ignored because this server does not know them, by client as it names itself',
      labelNames: ['client', 'route', 'field'],
      registers: [registry],
    })
  }

  /**
   * `userAgent` is of the client. Returns the client's name the first time that it sends the field. Beyond the first hundred,
   * all clients and fields are counted together.
   */
  note(userAgent: string, route: string, field: string): string | undefined {
    const client = clientName(userAgent)
    const key = `${client} ${route} ${field}`
    const isNew = !this.#seen.has(key) && this.#seen.size < MAX_COUNTED
    if (isNew) this.#seen.add(key)
    const isKnown = this.#seen.has(key)
    this.#counter.inc({ client: isKnown ? client : 'other', route, field: isKnown ? field : 'other' })
    return isNew ? client : undefined
  }
}

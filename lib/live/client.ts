import type { ConnectionState } from './connection'
import { browserEnvironment, type LiveEnvironment } from './environment'
import type { Handlers } from './follower'
import type { Wanted } from './router'
import { Tabs } from './tabs'

/** Live reading for one tab: subscriptions come and go, the connection behind them is made, shared and kept by itself. */
export class LiveClient {
  #state: ConnectionState = 'connecting'
  #tabs: Tabs | undefined
  readonly #listeners = new Set<() => void>()
  readonly #environment: () => LiveEnvironment

  constructor(environment: () => LiveEnvironment = browserEnvironment) {
    this.#environment = environment
  }

  /**
   * Follows a recording from its cursor, or a record or list. Each entry comes once and in order, whatever the network
   * does. Gives the function that ends it.
   */
  readonly subscribe = (wanted: Wanted, handlers: Handlers): (() => void) => {
    this.#tabs ??= new Tabs(this.#environment(), (state) => this.#set(state))
    return this.#tabs.follow(wanted, handlers)
  }

  /** How the one connection of this browser is, as an external store. */
  readonly connection = {
    subscribe: (listener: () => void): (() => void) => {
      this.#listeners.add(listener)
      return () => this.#listeners.delete(listener)
    },
    get: (): ConnectionState => this.#state,
  }

  close(): void {
    this.#tabs?.close()
    this.#tabs = undefined
  }

  #set(state: ConnectionState): void {
    if (this.#state === state) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

const client = new LiveClient()
export const subscribe = client.subscribe
export const connection = client.connection

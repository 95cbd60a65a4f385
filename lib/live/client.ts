import type { ConnectionState } from './connection'
import { browserEnvironment, type LiveEnvironment } from './environment'
import type { Handlers } from './follower'
import type { Wanted } from './router'
import type { Tabs } from './tabs'

/** Between two tries to load what makes the connection. */
const LOAD_AGAIN_MS = 2_000

/**
 * Live reading for one tab: subscriptions come and go, the connection behind them is made, shared and kept by itself. What
 * makes it is loaded with the first subscription: a page draws and works before it.
 */
export class LiveClient {
  #state: ConnectionState = 'connecting'
  #tabs: Tabs | undefined
  #isLoading = false
  readonly #waiting = new Set<(tabs: Tabs) => void>()
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
    if (this.#tabs) return this.#tabs.follow(wanted, handlers)
    let end = () => {}
    const begin = (tabs: Tabs) => {
      end = tabs.follow(wanted, handlers)
    }
    this.#waiting.add(begin)
    if (!this.#isLoading) void this.#load()
    return () => {
      this.#waiting.delete(begin)
      end()
    }
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
    this.#waiting.clear()
    this.#tabs?.close()
    this.#tabs = undefined
  }

  async #load(): Promise<void> {
    this.#isLoading = true
    const loaded = await import('./tabs').catch(() => undefined)
    this.#isLoading = false
    if (this.#waiting.size === 0) return
    if (!loaded) {
      this.#set('reconnecting')
      setTimeout(() => void (this.#isLoading || this.#load()), LOAD_AGAIN_MS)
      return
    }
    this.#tabs = new loaded.Tabs(this.#environment(), (state) => this.#set(state))
    for (const begin of this.#waiting) begin(this.#tabs)
    this.#waiting.clear()
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

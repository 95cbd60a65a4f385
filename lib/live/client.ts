import type { ConnectionState } from './connection'
import { browserEnvironment, type LiveEnvironment } from './environment'
import type { Handlers } from './follower'
import type { Wanted } from './router'
import type { Tabs } from './tabs'

/** Time between two attempts to load the connection's code. */
const LOAD_AGAIN_MS = 2_000

/**
 * Live data for one tab: subscriptions come and go, the connection behind them is opened, shared and kept up
 * automatically. Its code is loaded with the first subscription, so pages render without it.
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
   * Follows a recording from its cursor, or a record or list. Each entry arrives once and in order. Returns a function
   * that unsubscribes.
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

  /** The state of this browser's only connection, as an external store. */
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

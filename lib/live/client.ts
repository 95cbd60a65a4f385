import type { LiveError } from '@/lib/errors'
import type { ConnectionState } from './connection'
import { browserEnvironment, type LiveEnvironment } from './environment'
import type { Handlers } from './follower'
import type { Wanted } from './router'
import type { Tabs } from './tabs'

const EXPECTED = new Set(['unsupported', 'not_found'])

/** Time between two attempts to load the connection's code. */
const LOAD_AGAIN_MS = 2_000

/**
 * How fresh the page is. `unwatched`: it follows nothing. An error: a record or list that it follows cannot be read, and
 * what it shows is as old as `since`.
 */
export type Freshness = 'unwatched' | 'current' | LiveError

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
  /** What the page follows, with its problem. */
  readonly #watched = new Map<symbol, LiveError | undefined>()
  #freshness: Freshness = 'unwatched'
  readonly #environment: () => LiveEnvironment

  constructor(environment: () => LiveEnvironment = browserEnvironment) {
    this.#environment = environment
  }

  /**
   * Follows a recording from its cursor, or a record or list; each entry arrives once and in order. Returns a function
   * that unsubscribes.
   */
  readonly subscribe = (wanted: Wanted, handlers: Handlers): (() => void) => {
    // The inbox count belongs to the frame of every page.
    if ('isBrief' in wanted && wanted.isBrief) return this.#follow(wanted, handlers)
    const watch = Symbol()
    this.#watch(watch, undefined)
    const current =
      <Given extends unknown[]>(handler: ((...given: Given) => void) | undefined) =>
      (...given: Given) => {
        this.#watch(watch, undefined)
        handler?.(...given)
      }
    const end = this.#follow(wanted, {
      onEntries: current(handlers.onEntries),
      onLines: current(handlers.onLines),
      onValue: current(handlers.onValue),
      onError: (error) => {
        if (!EXPECTED.has(error.code)) this.#watch(watch, error)
        handlers.onError?.(error)
      },
    })
    return () => {
      end()
      this.#watched.delete(watch)
      this.#changed()
    }
  }

  #follow(wanted: Wanted, handlers: Handlers): () => void {
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
    getFreshness: (): Freshness => this.#freshness,
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

  #watch(watch: symbol, problem: LiveError | undefined): void {
    this.#watched.set(watch, problem)
    this.#changed()
  }

  #changed(): void {
    const problems = [...this.#watched.values()].filter((problem) => problem !== undefined)
    const oldest = problems.sort((left, right) => (left.since ?? 0) - (right.since ?? 0)).at(0)
    const freshness = oldest ?? (this.#watched.size > 0 ? 'current' : 'unwatched')
    if (this.#freshness === freshness) return
    this.#freshness = freshness
    for (const listener of this.#listeners) listener()
  }
}

const client = new LiveClient()
export const subscribe = client.subscribe
export const connection = client.connection

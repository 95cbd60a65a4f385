import { setMaxListeners } from 'node:events'
import { type Channel, LIVE_WAITS, type LiveEnvironment, type LiveWaits } from './environment'

// For tests only: a browser with several tabs, as far as the live client uses it.

type Held = { resolve: () => void }
type Waiting = { run: () => void }

/** One browser whose tabs share locks and channels. `url` is where they post to. */
export function fakeBrowser(
  url: string,
  { random = Math.random, waits }: { random?: () => number; waits?: Partial<LiveWaits> } = {},
) {
  const locks = new Map<string, { held?: Held; waiting: Waiting[] }>()
  const channels = new Map<string, Set<FakeChannel>>()
  const tabs: FakeTab[] = []
  const grants: { name: string; tab: FakeTab }[] = []

  class FakeChannel implements Channel {
    onmessage: ((event: MessageEvent) => void) | null = null
    constructor(
      readonly name: string,
      readonly tab: FakeTab,
    ) {
      channels.set(name, (channels.get(name) ?? new Set()).add(this))
    }
    postMessage(message: unknown): void {
      if (this.tab.isDead) return
      const copy = structuredClone(message)
      for (const other of channels.get(this.name) ?? []) {
        if (other === this) continue
        setTimeout(() => {
          if (channels.get(this.name)?.has(other) && !other.tab.isDead && !other.tab.isFrozen)
            other.onmessage?.({ data: copy } as MessageEvent)
        }, 0)
      }
    }
    close(): void {
      channels.get(this.name)?.delete(this)
    }
  }

  class FakeTab {
    isDead = false
    isFrozen = false
    isOnline = true
    isHidden = false
    /** How long the browser takes to receive this tab's lock requests. */
    lockDelayMs = 0
    readonly #wakes = new Set<() => void>()
    readonly #leaves = new Set<() => void>()
    readonly #requests = new AbortController()
    readonly #release: (() => void)[] = []

    readonly environment: LiveEnvironment = {
      url,
      random,
      waits: { ...LIVE_WAITS, ...waits },
      fetch: (address, init) => {
        if (!this.isOnline) return Promise.reject(new TypeError('Failed to fetch'))
        const signal = AbortSignal.any([this.#requests.signal, init.signal as AbortSignal])
        return fetch(address, { ...init, signal, headers: { ...init.headers, origin: new URL(address).origin } })
      },
      openChannel: (name) => new FakeChannel(name, this),
      locks: {
        request: ((name: string, options: LockOptions, callback: () => unknown) =>
          this.#lock(name, options, callback)) as LockManager['request'],
      },
      isOnline: () => this.isOnline,
      isHidden: () => this.isHidden,
      onWake: (listener) => {
        this.#wakes.add(listener)
        return () => this.#wakes.delete(listener)
      },
      onLeave: (listener) => {
        this.#leaves.add(listener)
        return () => this.#leaves.delete(listener)
      },
    }

    #lock(name: string, { signal }: LockOptions, callback: () => unknown): Promise<unknown> {
      const state = locks.get(name) ?? { waiting: [] }
      locks.set(name, state)
      return new Promise((resolve, reject) => {
        const run = () => {
          let isOver = false
          const release = () => {
            if (isOver) return
            isOver = true
            state.held = undefined
            state.waiting.shift()?.run()
          }
          state.held = { resolve: release }
          grants.push({ name, tab: this })
          this.#release.push(release)
          void Promise.resolve(callback()).then((value) => {
            release()
            resolve(value)
          })
        }
        const waiting = { run }
        if (signal) setMaxListeners(0, signal) // one tab waits for the locks of all others
        signal?.addEventListener('abort', () => {
          const at = state.waiting.indexOf(waiting)
          if (at !== -1) {
            state.waiting.splice(at, 1)
            reject(new DOMException('aborted', 'AbortError'))
          }
        })
        this.#forget.push(() => {
          const at = state.waiting.indexOf(waiting)
          if (at !== -1) state.waiting.splice(at, 1)
        })
        // Asynchronous, as in a browser.
        setTimeout(() => {
          if (this.isDead || signal?.aborted) return
          if (state.held) state.waiting.push(waiting)
          else run()
        }, this.lockDelayMs)
      })
    }
    readonly #forget: (() => void)[] = []

    /** As when the tab's process dies: the connection breaks and the locks pass on, without a message. */
    kill(): void {
      this.isDead = true
      this.#requests.abort()
      for (const forget of this.#forget) forget()
      for (const release of this.#release) release()
    }
    wake(): void {
      for (const listener of this.#wakes) listener()
    }
    leave(): void {
      for (const listener of this.#leaves) listener()
    }
  }

  return {
    /** Every granted lock, in order. */
    grants,
    tab: () => {
      const tab = new FakeTab()
      tabs.push(tab)
      return tab
    },
  }
}

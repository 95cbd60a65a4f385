import { withBasePath } from '@/lib/base-path'

/** The browser features that the live client uses. Tests replace them. */
export type LiveEnvironment = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  url: string
  /** Absent if tabs cannot share a connection; then each has its own. */
  locks?: Pick<LockManager, 'request'>
  openChannel?: (name: string) => Channel
  isOnline: () => boolean
  /** The tab is not visible, so its timers may be a second late. */
  isHidden: () => boolean
  /** Called when the connection may have died unnoticed: network back, tab shown, page restored, computer awake. */
  onWake: (listener: () => void) => () => void
  /** Called when the page goes away. */
  onLeave: (listener: () => void) => () => void
  random: () => number
  waits: LiveWaits
}

/** In milliseconds. */
export type LiveWaits = {
  /** Before a new subscription is posted, so that several go together. */
  addedMs: number
  /** An ended subscription costs only bytes, and often another one follows at once. */
  removedMs: number
  retryFirstMs: number
  retryMaxMs: number
  /** A connection that is silent for longer is dead, whatever the browser believes. */
  silenceMs: number
  /** Between two checks for silence. */
  watchMs: number
}

export const LIVE_WAITS: Readonly<LiveWaits> = {
  addedMs: 30,
  removedMs: 2_000,
  retryFirstMs: 300,
  retryMaxMs: 15_000,
  silenceMs: 40_000, // the server sends a comment every 15 s
  watchMs: 5_000,
}

export type Channel = {
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent) => void) | null
  close(): void
}

export function browserEnvironment(): LiveEnvironment {
  const canShare = typeof BroadcastChannel === 'function' && 'locks' in navigator
  const listen = (target: EventTarget, names: string[], listener: () => void) => {
    for (const name of names) target.addEventListener(name, listener)
    return () => {
      for (const name of names) target.removeEventListener(name, listener)
    }
  }
  return {
    fetch: (url, init) => fetch(url, init),
    url: withBasePath('/api/live'),
    ...(canShare && { locks: navigator.locks, openChannel: (name: string) => new BroadcastChannel(name) }),
    isOnline: () => navigator.onLine,
    isHidden: () => document.visibilityState === 'hidden',
    onWake: (listener) => {
      const ends = [
        listen(window, ['online', 'offline', 'pageshow'], listener),
        listen(document, ['visibilitychange', 'resume'], listener),
      ]
      return () => {
        for (const end of ends) end()
      }
    },
    onLeave: (listener) => listen(window, ['pagehide'], listener),
    random: Math.random,
    waits: LIVE_WAITS,
  }
}

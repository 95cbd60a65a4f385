import { nameInBrowser } from '@/lib/base-path'
import { type ConnectionState, decodeFrame, type OwnFrame } from './connection'
import type { Channel, LiveEnvironment } from './environment'
import { Follower, type Handlers } from './follower'
import { type Member, Router, type Wanted } from './router'

const NAME = nameInBrowser('pilothouse-live')

/** Messages between tabs. Each tab listens on a common channel and its own, so that frames only wake their receiver. */
type Message =
  /** To all: this tab is the leader now, or its connection has changed. */
  | { type: 'lead'; state: ConnectionState }
  /** To the leader: all subscriptions of this tab with their cursors. A known key continues unchanged. */
  | { type: 'want'; tab: string; wanted: [key: string, Wanted][] }
  | { type: 'bye'; tab: string }
  /** To one tab. */
  | { type: 'frame'; key: string; text: string }

/**
 * One connection for all tabs: the tab that holds the lock is the leader and serves the others. When it closes, the
 * lock passes on, and each tab tells the new leader its cursors.
 */
export class Tabs {
  readonly #environment: LiveEnvironment
  readonly #onState: (state: ConnectionState) => void
  readonly #tab: string
  readonly #followers = new Map<string, Follower>()
  readonly #members = new Map<string, Member>()
  readonly #others = new Map<string, { channel: Channel; members: Map<string, Member> }>()
  readonly #stop = new AbortController()
  readonly #ends: (() => void)[] = []
  #common: Channel | undefined
  #own: Channel | undefined
  #router: Router | undefined
  #isTelling = false
  #hasOwnLock = false
  #count = 0

  constructor(environment: LiveEnvironment, onState: (state: ConnectionState) => void) {
    this.#environment = environment
    this.#onState = onState
    this.#tab = `${Math.floor(environment.random() * 2 ** 32).toString(36)}-${Math.floor(environment.random() * 2 ** 32).toString(36)}`
    const { locks, openChannel } = environment
    if (locks && openChannel) this.#share(locks, openChannel)
    else this.#lead()
    this.#ends.push(
      environment.onLeave(() => this.#common?.postMessage({ type: 'bye', tab: this.#tab } satisfies Message)),
    )
    // A tab restored from the back-forward cache missed messages, and the leader has forgotten it. A tab that is shown
    // again makes the leader check the stream, because a hidden leader notices a dead one late.
    this.#ends.push(environment.onWake(() => this.#tell()))
  }

  /** Returns a function that unsubscribes. */
  follow(wanted: Wanted, handlers: Handlers): () => void {
    let key = ''
    const begin = () => {
      key = String(++this.#count)
      this.#followers.set(key, follower)
      if (this.#router) this.#join(key, follower, this.#router)
      else this.#tell()
    }
    const end = () => {
      this.#followers.delete(key)
      const member = this.#members.get(key)
      this.#members.delete(key)
      if (member) this.#router?.remove(member)
      else this.#tell()
    }
    // Entries are missing, so it subscribes again from its place under a new key.
    const follower = new Follower(wanted, handlers, () => {
      end()
      begin()
    })
    begin()
    return end
  }

  close(): void {
    this.#common?.postMessage({ type: 'bye', tab: this.#tab } satisfies Message)
    this.#stop.abort()
    for (const end of this.#ends) end()
    this.#router?.close()
    this.#common?.close()
    this.#own?.close()
    for (const { channel } of this.#others.values()) channel.close()
  }

  #share(locks: Pick<LockManager, 'request'>, openChannel: (name: string) => Channel): void {
    this.#common = openChannel(NAME)
    this.#own = openChannel(`${NAME}:${this.#tab}`)
    this.#common.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data)
    this.#own.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.type === 'frame' && !this.#router)
        this.#followers.get(data.key)?.receive(decodeFrame(data.text) as OwnFrame)
    }
    // Held as long as this tab lives, so the tab that gets it next knows that we are gone. The leader must only hear of
    // us afterwards, or it would get the free lock and forget us.
    void this.#hold(locks, `${NAME}:${this.#tab}`, () => {
      this.#hasOwnLock = true
      this.#tell()
    })
    void this.#hold(locks, NAME, () => this.#lead())
  }

  /** Waits for a lock, calls back, and keeps it until this tab closes. */
  async #hold(locks: Pick<LockManager, 'request'>, name: string, onHeld: () => void): Promise<void> {
    const { signal } = this.#stop
    await locks
      .request(name, { signal }, () => {
        onHeld()
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      })
      .catch(() => {}) // closed while waiting
  }

  #lead(): void {
    if (this.#stop.signal.aborted) return
    const router = new Router(this.#environment, (state) => {
      this.#onState(state)
      this.#common?.postMessage({ type: 'lead', state } satisfies Message)
    })
    this.#router = router
    for (const [key, follower] of this.#followers) this.#join(key, follower, router)
    this.#common?.postMessage({ type: 'lead', state: router.state } satisfies Message)
    this.#onState(router.state)
  }

  #join(key: string, follower: Follower, router: Router): void {
    const member = { wanted: { ...follower.wanted }, deliver: (frame: OwnFrame) => follower.receive(frame) }
    this.#members.set(key, member)
    router.add(member)
  }

  /** Tells the leader what this tab needs; several changes in one turn are one message. */
  #tell(): void {
    if (this.#router || this.#isTelling || !this.#hasOwnLock) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      if (this.#router || this.#stop.signal.aborted) return
      const wanted = [...this.#followers].map(([key, follower]): [string, Wanted] => [key, { ...follower.wanted }])
      this.#common?.postMessage({ type: 'want', tab: this.#tab, wanted } satisfies Message)
    })
  }

  #hear(message: Message): void {
    if (message.type === 'lead' && !this.#router) {
      this.#onState(message.state)
      if (message.state === 'connecting') this.#tell() // a new leader knows nobody yet
    } else if (message.type === 'want' && this.#router) {
      this.#router.check()
      this.#serve(message.tab, new Map(message.wanted), this.#router)
    } else if (message.type === 'bye') this.#forget(message.tab)
  }

  /** Serves another tab: new keys begin at their cursor, known ones continue, missing ones end. */
  #serve(tab: string, wanted: Map<string, Wanted>, router: Router): void {
    const { locks, openChannel } = this.#environment
    if (!locks || !openChannel) return
    let other = this.#others.get(tab)
    if (!other) {
      other = { channel: openChannel(`${NAME}:${tab}`), members: new Map() }
      this.#others.set(tab, other)
      void locks.request(`${NAME}:${tab}`, { signal: this.#stop.signal }, () => this.#forget(tab)).catch(() => {})
      this.#common?.postMessage({ type: 'lead', state: router.state } satisfies Message)
    }
    const { channel, members } = other
    for (const [key, member] of members) {
      if (wanted.has(key)) continue
      members.delete(key)
      router.remove(member)
    }
    for (const [key, one] of wanted) {
      if (members.has(key)) continue
      const deliver = (_: OwnFrame, text: string) => channel.postMessage({ type: 'frame', key, text } satisfies Message)
      const member: Member = { wanted: one, deliver }
      members.set(key, member)
      router.add(member)
    }
  }

  #forget(tab: string): void {
    const other = this.#others.get(tab)
    if (!other) return
    this.#others.delete(tab)
    other.channel.close()
    for (const member of other.members.values()) this.#router?.remove(member)
  }
}

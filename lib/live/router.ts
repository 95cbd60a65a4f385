import type { Subscription } from '@/lib/contracts/wire/live'
import { isRecord } from '@/lib/json/guards'
import type { Entries } from '@/lib/stream/entry-text'
import { Connection, type ConnectionState, type OwnFrame } from './connection'
import type { LiveEnvironment } from './environment'

/** A subscription without its id, which the router assigns. */
export type Wanted = Subscription extends infer One ? (One extends Subscription ? Omit<One, 'id'> : never) : never

/** A subscriber: a component of this tab, or another tab that this one serves. */
export type Member = {
  wanted: Wanted
  deliver: (frame: OwnFrame, text: string) => void
}

type Upstream = {
  subscription: Subscription
  members: Set<Member>
  /** The newest value, or the current place in a recording or log, for members that join later. */
  last: { frame: OwnFrame; text: string } | undefined
}

/**
 * Combines the subscriptions of all members into few upstream ones. Members at the same place of a recording share one;
 * a member that is behind gets its own until it has caught up, and drops what it already had.
 */
export class Router {
  readonly #connection: Connection
  readonly #upstreams = new Map<string, Upstream>()
  readonly #places = new Map<Member, string>()
  #count = 0

  constructor(environment: LiveEnvironment, onState: (state: ConnectionState) => void) {
    this.#connection = new Connection({
      environment,
      onState,
      subscriptions: () => [...this.#upstreams.values()].map(({ subscription }) => subscription),
      onFrame: (frame, text) => this.#receive(frame, text),
    })
  }

  get state(): ConnectionState {
    return this.#connection.state
  }

  add(member: Member): void {
    const { wanted } = member
    const key = keyOf(wanted)
    const known = this.#upstreams.get(key)
    if (known && canShare(known.subscription, wanted)) {
      known.members.add(member)
      this.#places.set(member, key)
      // After the caller has its return value.
      queueMicrotask(
        () => this.#places.get(member) === key && known.last && member.deliver(known.last.frame, known.last.text),
      )
      // It was refused, or the session had ended; a new member tries again.
      if (this.state === 'ended' || typeof this.state === 'object') this.#connection.change('added')
      return
    }
    const id = known ? `${key}#${++this.#count}` : key
    this.#upstreams.set(id, {
      subscription: { ...wanted, id } as Subscription,
      members: new Set([member]),
      last: undefined,
    })
    this.#places.set(member, id)
    this.#connection.change('added')
  }

  remove(member: Member): void {
    const id = this.#places.get(member)
    const upstream = id === undefined ? undefined : this.#upstreams.get(id)
    this.#places.delete(member)
    if (!id || !upstream) return
    upstream.members.delete(member)
    if (upstream.members.size > 0) return
    this.#upstreams.delete(id)
    this.#connection.change('removed')
  }

  check(): void {
    this.#connection.check()
  }

  close(): void {
    this.#connection.close()
  }

  #receive(frame: OwnFrame, text: string): boolean {
    const upstream = this.#upstreams.get(frame.id)
    if (!upstream) return true // nobody needs it any more
    const { subscription } = upstream
    if (!('cursor' in subscription)) {
      if (upstream.last?.text === text) return true
      upstream.last = { frame, text }
    } else if ('error' in frame) {
      upstream.last = { frame, text } // for members that join later
    } else if ('reset' in frame) {
      subscription.cursor = frame.cursor
      subscription.epoch = frame.epoch
      upstream.last = undefined
    } else if ('entries' in frame) {
      subscription.epoch = frame.epoch
      const entries = frame.entries as Entries // or lines, which have the same numbering
      const first = entries.at(0)?.seq
      if (first !== undefined && first > subscription.cursor + 1) return false
      subscription.cursor = Math.max(subscription.cursor, entries.at(-1)?.seq ?? 0)
      const { id, total, epoch, phase } = frame
      const standing = { id, total, epoch, phase, entries: [] }
      upstream.last = { frame: standing, text: JSON.stringify(standing) }
    }
    for (const member of [...upstream.members]) member.deliver(frame, text)
    if ('cursor' in subscription) this.#merge(frame.id, upstream, subscription)
    return true
  }

  /** Moves the members of a subscription that has caught up to the main one of the same recording or log. */
  #merge(id: string, upstream: Upstream, { id: _, ...wanted }: Extract<Subscription, { cursor: number }>): void {
    const { cursor, epoch } = wanted
    const key = keyOf(wanted)
    const main = this.#upstreams.get(key)
    if (id === key || !main || !('cursor' in main.subscription)) return
    if (main.subscription.epoch !== epoch || main.subscription.cursor > cursor) return
    for (const member of upstream.members) {
      main.members.add(member)
      this.#places.set(member, key)
    }
    this.#upstreams.delete(id)
    this.#connection.change('removed')
  }
}

/**
 * The same for equal subscriptions, whatever their cursors. Also used as the subscription id, so that viewers share
 * frames.
 */
function keyOf(wanted: Wanted): string {
  if (wanted.kind === 'recording') return `r:${wanted.recording}`
  const { kind, workspace, ...more } = wanted
  const { cursor: _, epoch: __, ...rest } = { cursor: 0, epoch: 0, ...more }
  return `${kind}:${workspace}:${JSON.stringify(rest, (_, value) => sorted(value))}`
}

const sorted = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

/** Whether a member can join an upstream: one of a recording or log must not begin after the member's cursor. */
function canShare(known: Subscription, wanted: Wanted): boolean {
  if (!('cursor' in known) || !('cursor' in wanted)) return true
  return (
    known.workspace === wanted.workspace &&
    known.cursor <= wanted.cursor &&
    (wanted.epoch === undefined || wanted.epoch === known.epoch)
  )
}

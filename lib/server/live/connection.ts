import 'server-only'
import type { Subscription } from '@/lib/contracts/wire/live'
import { highestRole, NO_RIGHTS, type Rights } from '@/lib/contracts/wire/rights'
import { AppError, type ErrorCode } from '@/lib/errors'
import { type Actor, assertSession } from '../access/actor'
import { recentRightsOf } from '../access/recent-rights'
import { storeOutage } from '../process/db'
import { log } from '../process/log'
import { metrics } from '../process/metrics'
import { errorView } from '../process/result'
import { frame, KEEP_ALIVE } from '../transport/frames'
import { nodeResponse } from '../transport/node-response'
import { Outlet } from '../transport/outlet'
import { onHeartbeat } from './heartbeat'
import { LogSource } from './log-source'
import { followed } from './permitted'
import { PolledSource } from './polled-source'
import { RecordingSource } from './recording-source'
import type { Source } from './source'
import type { LiveTiming } from './timing'

const FRAME_BYTES = 128 * 1024

/** One line in the log for all connections, until rights can be checked again. */
let isOutageLogged = false

/**
 * The live connection of one browser. Sources report news, and frames are only made when the connection has room, so a
 * slow browser costs at most its window.
 */
export class Connection {
  readonly #actor: Actor
  /** By workspace, when the connection was opened. */
  readonly #rights: ReadonlyMap<string, Rights>
  readonly #timing: LiveTiming['connection']
  readonly #outlet: Outlet
  readonly #sources = new Map<string, Source>()
  /** In the order of their turns. Not a set: one that is filled and emptied at each frame is allocated again and again. */
  readonly #news: Source[] = []
  readonly #busy = new Set<Source>()
  readonly #stopHeartbeats: (() => void)[]
  #stalled: NodeJS.Timeout | undefined
  #isOver = false
  #checkedAt = performance.now()
  #onEnd: () => void

  /** The subscriptions are allowed by the rights. */
  constructor(
    actor: Actor,
    subscriptions: readonly Subscription[],
    rights: ReadonlyMap<string, Rights>,
    timing: LiveTiming,
    onEnd: () => void,
  ) {
    this.#actor = actor
    this.#rights = rights
    isOutageLogged = false // the rights were just read
    this.#timing = timing.connection
    this.#onEnd = onEnd
    metrics().liveConnections.inc()
    this.#outlet = new Outlet(nodeResponse(), {
      onRoom: () => this.#pump(),
      onGone: () => this.#end(),
    })
    this.#stopHeartbeats = [
      onHeartbeat(timing.connection.keepAliveMs, () => this.#outlet.hasRoom && this.#outlet.write([KEEP_ALIVE])),
      onHeartbeat(timing.connection.rightsMs, () => void this.#checkRights()),
    ]
    for (const one of subscriptions) this.#add(one, timing)
    this.#pump()
  }

  get stream(): ReadableStream<Uint8Array> {
    return this.#outlet.body
  }

  /** Asks the browser to connect again with its cursors, and ends. */
  hint(reason: 'slow' | 'shutdown' | 'rights'): void {
    this.#close(frame({ resume: true, reason }))
  }

  /** Refuses one subscription, with the reason. */
  refuse(id: string, code: ErrorCode, message: string): void {
    this.#outlet.write([frame({ id, error: { code, message }, at: Date.now() })])
  }

  /** The browser disconnected. */
  leave(): void {
    if (this.#isOver) return
    this.#end()
    this.#outlet.close()
  }

  #add(wanted: Subscription, timing: LiveTiming): void {
    const onNews = () => {
      this.#note(source)
      this.#pump()
    }
    const source = sourceOf(this.#actor, wanted, this.#limitIn(wanted.workspace), onNews, timing)
    this.#sources.set(source.id, source)
    this.#note(source)
  }

  #note(source: Source): void {
    if (!this.#news.includes(source)) this.#news.push(source)
  }

  #limitIn(workspace: string): string[] | null {
    return followed(this.#rights.get(workspace) ?? NO_RIGHTS)
  }

  #pump(): void {
    for (let at = 0; at < this.#news.length; ) {
      if (!this.#outlet.hasRoom) {
        this.#wait()
        return
      }
      this.#move()
      const source = this.#news[at] as Source // the loop's bound
      if (this.#busy.has(source)) at++
      else {
        this.#news.splice(at, 1)
        this.#serve(source)
      }
    }
  }

  #serve(source: Source): void {
    try {
      const frames = source.take(FRAME_BYTES)
      if (Array.isArray(frames)) {
        this.#deliver(source, frames)
        return
      }
      this.#busy.add(source)
      frames
        .then(
          (late) => this.#deliver(source, late),
          (error: unknown) => this.#fail(source, error),
        )
        .finally(() => {
          this.#busy.delete(source)
          this.#pump()
        })
    } catch (error) {
      this.#fail(source, error)
    }
  }

  #deliver(source: Source, frames: Buffer[]): void {
    if (frames.length === 0 || !this.#sources.has(source.id)) return
    this.#outlet.write(frames)
    if (source.hasMore !== false) this.#note(source)
  }

  #fail(source: Source, error: unknown): void {
    if (!this.#sources.has(source.id)) return
    const { code, message } = errorView(error)
    if (storeOutage(error)) this.#retry(source)
    else this.#drop(source)
    this.refuse(source.id, code, message)
  }

  /** An outage of our database ends without the browser's doing. */
  #retry(source: Source): void {
    setTimeout(() => {
      if (this.#sources.get(source.id) !== source) return
      this.#note(source)
      this.#pump()
    }, this.#timing.outageMs).unref()
  }

  #drop(source: Source): void {
    source.close()
    this.#sources.delete(source.id)
    const at = this.#news.indexOf(source)
    if (at >= 0) this.#news.splice(at, 1)
  }

  #wait(): void {
    if (this.#isOver) return
    this.#stalled ??= setTimeout(() => {
      this.#stalled = undefined
      if (this.#outlet.hasRoom) this.#pump()
      else this.hint('slow')
    }, this.#timing.stalledMs)
  }

  #move(): void {
    if (!this.#stalled) return
    clearTimeout(this.#stalled)
    this.#stalled = undefined
  }

  async #checkRights(): Promise<void> {
    let wasWithdrawn = false
    let hasOthers = false
    try {
      for (const workspace of new Set([...this.#sources.values()].map((one) => one.workspace))) {
        const rights = await recentRightsOf(this.#actor, workspace, this.#timing.rightsMs / 3)
        if (highestRole(rights)) {
          // Other deployments than before: the browser connects again, and each subscription is checked.
          hasOthers ||= JSON.stringify(followed(rights)) !== JSON.stringify(this.#limitIn(workspace))
          continue
        }
        await assertSession(this.#actor)
        for (const source of [...this.#sources.values()].filter((one) => one.workspace === workspace)) {
          this.#drop(source)
          this.refuse(source.id, 'forbidden', 'You no longer have access to this workspace.')
          wasWithdrawn = true
        }
      }
      this.#checkedAt = performance.now()
      isOutageLogged = false
      if (hasOthers || (wasWithdrawn && this.#sources.size === 0)) this.hint('rights')
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated')
        return this.#close(frame({ ended: true, reason: error.view.message }))
      if (!isOutageLogged) log.warn('live.rights_unchecked', { error })
      isOutageLogged = true
      if (performance.now() - this.#checkedAt > this.#timing.uncheckedMs) this.hint('shutdown')
    }
  }

  #close(last: Buffer): void {
    if (this.#isOver) return
    this.#outlet.write([last])
    this.leave()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    metrics().liveConnections.dec()
    this.#move()
    for (const stop of this.#stopHeartbeats) stop()
    for (const source of this.#sources.values()) source.close()
    this.#sources.clear()
    this.#news.length = 0
    this.#onEnd()
  }
}

function sourceOf(
  actor: Actor,
  wanted: Subscription,
  limit: string[] | null,
  onNews: () => void,
  timing: LiveTiming,
): Source {
  if (wanted.kind === 'recording') return new RecordingSource(actor, wanted, onNews)
  return wanted.kind === 'logs'
    ? new LogSource(wanted, onNews, timing.logs)
    : new PolledSource(wanted, limit, onNews, timing.poll)
}

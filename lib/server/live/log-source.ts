import 'server-only'
import type { Subscription } from '@/lib/contracts/wire/live'
import { systemActor } from '../access/actor'
import { type LogOf, readLogPage } from '../resources/logs/log-pages'
import { entriesFrame, frame } from '../transport/frames'
import { LogFeed } from './log-feed'
import type { Source } from './source'
import type { LiveTiming } from './timing'

type Wanted = Extract<Subscription, { kind: 'logs' }>

// Each connection's rights are checked separately; one read serves all of them.
const actor = systemActor('live')

// On globalThis: each route has its own copy of this module, and a log is read once per process.
const shared = globalThis as { pilothouseLogFeeds?: Map<string, LogFeed> }

function feedFor(
  { workspace, deployment: deploymentId, revision, type, from, to, level, query }: Wanted,
  timing: LiveTiming['logs'],
): LogFeed {
  shared.pilothouseLogFeeds ??= new Map()
  const feeds = shared.pilothouseLogFeeds
  const of = { workspace, deploymentId, revision, type, from, to, level, query } as LogOf // the request schema has checked the level
  const key = JSON.stringify(of)
  let feed = feeds.get(key)
  if (!feed) {
    feed = new LogFeed(
      (offset, signal) => readLogPage(of, offset, { actor, signal }),
      () => feeds.delete(key),
      timing,
    )
    feeds.set(key, feed)
  }
  return feed
}

/** The log of a revision, or of all revisions of a deployment, from the connection's cursor on. */
export class LogSource implements Source {
  readonly id: string
  readonly workspace: string
  readonly #feed: LogFeed
  readonly #unsubscribe: () => void
  #cursor: number
  #epoch: number | undefined
  /** The last phase sent. */
  #told = ''
  #toldProblem: unknown

  constructor(wanted: Wanted, onNews: () => void, timing: LiveTiming['logs']) {
    this.id = wanted.id
    this.workspace = wanted.workspace
    this.#cursor = wanted.cursor
    this.#epoch = wanted.epoch
    this.#feed = feedFor(wanted, timing)
    this.#unsubscribe = this.#feed.subscribe(onNews)
  }

  take(maxBytes: number): Buffer[] {
    const { epoch, first, last, phase, problem } = this.#feed
    const parts: Buffer[] = []
    const isOther = this.#epoch !== undefined && this.#epoch !== epoch
    if (isOther || this.#cursor < first - 1) {
      this.#cursor = first - 1
      parts.push(frame({ id: this.id, reset: true, epoch, cursor: this.#cursor }))
    }
    this.#epoch = epoch
    const { json, cursor } = this.#feed.read(this.#cursor, maxBytes)
    if (json !== '' || phase !== this.#told) {
      const head = { id: this.id, total: last, epoch, phase }
      parts.push(...entriesFrame(head, json === '' ? [] : [Buffer.from(json)]))
    }
    this.#cursor = cursor
    this.#told = phase
    if (problem && problem !== this.#toldProblem)
      parts.push(frame({ id: this.id, error: { code: problem.code, message: problem.message }, at: problem.at }))
    this.#toldProblem = problem
    return parts
  }

  close(): void {
    this.#unsubscribe()
  }
}

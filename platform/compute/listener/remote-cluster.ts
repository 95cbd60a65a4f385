import { randomUUID } from 'node:crypto'
import type { V1Service } from '@kubernetes/client-node'
import { inSpan, traceHeaders } from '../../kernel/telemetry'
import { StartError } from '../compute'
import type { Cluster, Follower, Refusal } from '../kubernetes/cluster'
import type { RevisionManifests } from '../kubernetes/manifests'
import type { Observation } from '../kubernetes/pod-status'
import { type Command, type Followed, type Report, WORK_WAIT_MS, type Work, type WorkRequest } from './wire'

/** Without a word for this long, a listener counts as away. */
const AWAY_AFTER_MS = 2 * WORK_WAIT_MS
const STOPPING = 'The platform is stopping.'

type NewCommand = Command extends infer One ? (One extends Command ? Omit<One, 'id'> : never) : never
type Pending = { command: Command; resolve(value: unknown): void; reject(error: Error): void }
type Follow = Followed & { follower: Follower }

/**
 * A cluster that a listener reaches for this program: what it should do waits here until the listener asks. Nothing is
 * lost when either side starts again, because commands may be repeated and what is followed is sent as a whole.
 */
export class RemoteCluster implements Cluster {
  readonly #pending = new Map<string, Pending>()
  readonly #follows = new Map<string, Follow>()
  // Differs from those before a restart, which the listener may still have.
  #followsVersion = Date.now()
  #session: string | undefined
  #lastReport = 0
  #lastSeen: Date
  #clusterAwaySince: Date | undefined
  readonly #waiting = new Set<() => void>()
  #isClosed = false
  #isEnding = false

  /** `lastSeen` is when it was created if it was never seen. */
  constructor(
    readonly name: string,
    lastSeen: Date,
    private isNew = false,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.#lastSeen = lastSeen
  }

  get awaySince(): Date | undefined {
    return this.listener.isAway ? this.#lastSeen : this.#clusterAwaySince
  }

  get listener(): { isAway: boolean; isNew: boolean } {
    const { isNew } = this
    return { isAway: isNew || this.now().getTime() - this.#lastSeen.getTime() > AWAY_AFTER_MS, isNew }
  }

  check(manifests: RevisionManifests): Promise<Refusal[]> {
    return this.#send({ kind: 'check', manifests: plain(manifests) }) as Promise<Refusal[]>
  }

  async apply(manifests: RevisionManifests, signal: AbortSignal): Promise<void> {
    await this.#send({ kind: 'apply', manifests: plain(manifests) }, signal)
  }

  async pointService(service: V1Service, signal: AbortSignal): Promise<void> {
    await this.#send({ kind: 'pointService', service: plain(service) }, signal)
  }

  async remove(namespace: string, labels: Record<string, string>, how: { isForced: boolean }): Promise<void> {
    await this.#send({ kind: 'remove', namespace, labels, ...how })
  }

  valuesOf(namespaces: readonly string[], labels: Record<string, string>, label: string): Promise<string[]> {
    return this.#send({ kind: 'valuesOf', namespaces: [...namespaces], labels, label }) as Promise<string[]>
  }

  follow(namespace: string, labels: Record<string, string>, since: Date | undefined, follower: Follower): () => void {
    const id = randomUUID()
    this.#follows.set(id, { id, namespace, labels, since: since?.toISOString() ?? null, follower })
    this.#changeFollows()
    return () => {
      if (this.#follows.delete(id)) this.#changeFollows()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wakeAll()
    for (const { reject } of this.#pending.values()) reject(new Error(STOPPING))
    this.#pending.clear()
  }

  /** Ends every waiting question, so that its token is checked again. */
  endWaiting(): void {
    this.#isEnding = true
    this.#wakeAll()
    this.#isEnding = false
  }

  /** The listener's question for work. Waits until there is some. */
  async work(request: WorkRequest, signal: AbortSignal): Promise<Work> {
    this.#see(request.session)
    const end = this.now().getTime() + WORK_WAIT_MS
    for (let isEnded = false; ; ) {
      const commands = [...this.#pending.values()]
        .map(({ command }) => command)
        .filter(({ id }) => !request.working.includes(id))
      const follows = request.follows === this.#followsVersion ? null : this.#list()
      const left = end - this.now().getTime()
      if (commands.length || follows || left <= 0 || this.#isClosed || signal.aborted || isEnded)
        return { commands, follows }
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          this.#waiting.delete(done)
          isEnded = this.#isEnding
          resolve()
        }
        const timer = setTimeout(done, left)
        signal.addEventListener('abort', done)
        this.#waiting.add(done)
      })
      if (!signal.aborted) this.#lastSeen = this.now()
    }
  }

  report(report: Report): void {
    this.#see(report.session)
    this.#clusterAwaySince = report.clusterAwaySince ? new Date(report.clusterAwaySince) : undefined
    if (report.number <= this.#lastReport) return
    this.#lastReport = report.number
    for (const { id, pod, container, time, text } of report.lines) {
      const follow = this.#follows.get(id)
      if (!follow) continue
      follow.since = time
      follow.follower.onLine({ pod, container, time, text })
    }
    for (const { id, observation } of report.observations)
      this.#follows.get(id)?.follower.onChange(observation as unknown as Observation)
    for (const { id, value, error } of report.results) {
      const pending = this.#pending.get(id)
      this.#pending.delete(id)
      if (error) pending?.reject(error.isFinal ? new StartError(error.message) : new Error(error.message))
      else pending?.resolve(value)
    }
  }

  #see(session: string): void {
    this.isNew = false
    this.#lastSeen = this.now()
    if (session === this.#session) return
    this.#session = session
    this.#lastReport = 0
  }

  #list() {
    const list = [...this.#follows.values()].map(({ follower: _, ...rest }) => rest)
    return { version: this.#followsVersion, list }
  }

  #changeFollows(): void {
    this.#followsVersion += 1
    this.#wakeAll()
  }

  #send(command: NewCommand, signal?: AbortSignal): Promise<unknown> {
    const attributes = { 'k8s.cluster.name': this.name }
    return inSpan(`listener ${command.kind}`, { kind: 'client', attributes }, () =>
      this.#wait({ ...command, ...traceHeaders() }, signal),
    )
  }

  async #wait(command: NewCommand, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new Error(STOPPING)
    const id = randomUUID()
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#pending.delete(id)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', abort, { once: true })
      const done = () => signal?.removeEventListener('abort', abort)
      this.#pending.set(id, {
        command: { ...command, id } as Command,
        resolve: (value) => {
          done()
          resolve(value)
        },
        reject: (error) => {
          done()
          reject(error)
        },
      })
      this.#wakeAll()
    })
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}

const plain = <T>(value: T) => JSON.parse(JSON.stringify(value))

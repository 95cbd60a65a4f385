import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inSpan, traceHeaders } from '../../kernel/telemetry'
import { StartError } from '../compute'
import type { Cluster } from '../kubernetes/cluster'
import type { RevisionManifests } from '../kubernetes/manifests'
import {
  type Command,
  type Followed,
  MOST_REPORTED,
  REPORT_PATH,
  type Report,
  WORK_PATH,
  WORK_WAIT_MS,
  Work,
  type WorkRequest,
} from './wire'

export type ListenerOptions = {
  /** Address of the control plane. */
  url: string
  token: string
  cluster: Cluster
  about: Pick<WorkRequest, 'version' | 'agentUrl' | 'database' | 'hasTunnels'>
  log(line: string): void
}

export class RevokedError extends Error {}

const AGAIN_MS = 1000
const LONGEST_MS = 30_000
const REPORT_MS = 100
const REPORT_TIMEOUT_MS = 20_000
/** Lines kept while the control plane does not answer; later ones are dropped and said so. */
const MOST_WAITING_LINES = 20_000
const REFUSED = [401, 403]

type Line = Report['lines'][number]

/** Joins a cluster to a control plane: asks it for work, does it, and reports. Every connection is opened from here. */
export class Listener {
  readonly #session = randomUUID()
  readonly #end = new AbortController()
  readonly #working = new Set<string>()
  readonly #follows = new Map<string, () => void>()
  #followsVersion = 0
  #number = 0
  #results: Report['results'] = []
  readonly #observations = new Map<string, Report['observations'][number]>()
  #lines: Line[] = []
  #dropped = 0
  #reportedAway: string | null = null
  #isConnected: boolean | undefined

  constructor(private readonly options: ListenerOptions) {}

  /** Runs until `stop`. Rejects with a RevokedError once the token is refused. */
  async run(): Promise<void> {
    try {
      await Promise.all([this.#forever(() => this.#ask()), this.#forever(() => this.#report())])
    } finally {
      this.#end.abort()
      for (const stop of this.#follows.values()) stop()
    }
  }

  stop(): void {
    this.#end.abort()
  }

  async #forever(step: () => Promise<void>): Promise<void> {
    const { signal } = this.#end
    for (let failures = 0; !signal.aborted; )
      try {
        await step()
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof RevokedError) throw error
        this.#sayConnected(false, (error as Error).message)
        failures += 1
        await sleep(Math.min(AGAIN_MS * 2 ** (failures - 1), LONGEST_MS), undefined, { signal }).catch(() => {})
      }
  }

  async #ask(): Promise<void> {
    const request: WorkRequest = {
      ...this.options.about,
      session: this.#session,
      cluster: this.options.cluster.name,
      working: [...this.#working, ...this.#results.map(({ id }) => id)],
      follows: this.#followsVersion,
    }
    const work = Work.parse(await this.#post(WORK_PATH, request, WORK_WAIT_MS + REPORT_TIMEOUT_MS))
    this.#sayConnected(true)
    if (work.follows) {
      this.#followsVersion = work.follows.version
      this.#followOnly(work.follows.list)
    }
    for (const command of work.commands) if (!this.#working.has(command.id)) void this.#do(command)
  }

  async #do(command: Command): Promise<void> {
    const { id, kind, traceparent = '' } = command
    this.#working.add(id)
    try {
      const value = await inSpan(`listener ${kind}`, { kind: 'server', parent: traceparent }, () => this.#run(command))
      // Only now is `#results` read: a report may have replaced the list meanwhile.
      this.#results.push({ id, value })
    } catch (error) {
      const { message } = error as Error
      this.#results.push({ id, error: { message, isFinal: error instanceof StartError } })
    } finally {
      this.#working.delete(id)
    }
  }

  async #run(command: Command): Promise<unknown> {
    const { cluster } = this.options
    const { signal } = this.#end
    switch (command.kind) {
      case 'check':
        return cluster.check(command.manifests as unknown as RevisionManifests)
      case 'apply':
        return cluster.apply(command.manifests as unknown as RevisionManifests, signal)
      case 'pointService':
        return cluster.pointService(command.service, signal)
      case 'remove':
        return cluster.remove(command.namespace, command.labels, { isForced: command.isForced })
      case 'valuesOf':
        return cluster.valuesOf(command.namespaces, command.labels, command.label)
    }
  }

  #followOnly(list: readonly Followed[]): void {
    const wanted = new Set(list.map(({ id }) => id))
    for (const [id, stop] of this.#follows)
      if (!wanted.has(id)) {
        stop()
        this.#follows.delete(id)
      }
    for (const { id, namespace, labels, since } of list) {
      if (this.#follows.has(id)) continue
      const stop = this.options.cluster.follow(namespace, labels, since ? new Date(since) : undefined, {
        onChange: (observation) =>
          this.#observations.set(id, { id, observation: JSON.parse(JSON.stringify(observation)) }),
        onLine: (line) => {
          if (this.#lines.length < MOST_WAITING_LINES) this.#lines.push({ id, ...line })
          else this.#dropped += 1
        },
      })
      this.#follows.set(id, stop)
    }
  }

  async #report(): Promise<void> {
    await sleep(REPORT_MS, undefined, { signal: this.#end.signal })
    const lines = this.#lines.slice(0, MOST_REPORTED.lines)
    const results = this.#results.slice(0, MOST_REPORTED.results)
    const observations = [...this.#observations.values()].slice(0, MOST_REPORTED.observations)
    const clusterAwaySince = this.options.cluster.awaySince?.toISOString() ?? null
    const isNews = clusterAwaySince !== this.#reportedAway
    if (!lines.length && !results.length && !observations.length && !isNews) return
    const report: Report = {
      session: this.#session,
      number: this.#number + 1,
      results,
      observations,
      lines,
      clusterAwaySince,
    }
    await this.#post(REPORT_PATH, report, REPORT_TIMEOUT_MS)
    // Only what was received is forgotten; the rest came in the meantime.
    this.#number += 1
    this.#reportedAway = clusterAwaySince
    this.#lines = this.#lines.slice(lines.length)
    this.#results = this.#results.slice(results.length)
    for (const one of observations) {
      const newest = this.#observations.get(one.id)
      this.#observations.delete(one.id)
      // A newer one comes after those that are still to be sent.
      if (newest && newest !== one) this.#observations.set(one.id, newest)
    }
    if (this.#dropped) this.options.log(`${this.#dropped} log lines were dropped while the control plane was away.`)
    this.#dropped = 0
  }

  #post(path: string, body: unknown, timeoutMs: number): Promise<unknown> {
    return inSpan(`POST ${path}`, { kind: 'client' }, () => this.#sendTo(path, body, timeoutMs))
  }

  async #sendTo(path: string, body: unknown, timeoutMs: number): Promise<unknown> {
    const { url, token } = this.options
    const response = await fetch(url.replace(/\/$/, '') + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...traceHeaders() },
      body: JSON.stringify(body),
      // The token must not follow a redirect to another server.
      redirect: 'error',
      signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await response.text()
    if (REFUSED.includes(response.status))
      throw new RevokedError('The control plane refuses the token of this listener: it was revoked or is wrong.')
    if (!response.ok) throw new Error(`${path} gave ${response.status} ${text.slice(0, 300)}`)
    return text ? JSON.parse(text) : undefined
  }

  #sayConnected(isConnected: boolean, why = ''): void {
    if (this.#isConnected === isConnected) return
    this.#isConnected = isConnected
    this.options.log(
      isConnected
        ? `Connected to ${this.options.url} for cluster ${this.options.cluster.name}.`
        : `The control plane does not answer; agents go on meanwhile. ${why}`,
    )
  }
}

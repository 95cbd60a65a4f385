import { setTimeout as sleep } from 'node:timers/promises'
import type { RevisionStatus } from '@/lib/contracts/wire/state'
import type { Compute, Computes } from '../compute/compute'
import type { RevisionLogger } from '../compute/revision-logger'
import type { AgentDatabases } from '../kernel/agent-database'
import { reasonOf } from '../kernel/database'
import type { ConcurrencyLimiter } from '../kernel/limiter'
import type { RevisionLogs } from '../kernel/revision-log'
import type { DeploymentRow, RevisionRow } from '../kernel/schema'
import { type Store, SUPERSEDABLE } from '../kernel/store'
import { inSpan } from '../kernel/telemetry'
import type { LogLevel } from '../kernel/wire'
import type { Gateways } from './gateways'
import { Supervisor } from './supervisor'

export type RolloutOptions = {
  store: Store
  logs: RevisionLogs
  logger: RevisionLogger
  computes: Computes
  databases: AgentDatabases
  /** Limits of concurrent builds and of concurrently starting agent servers. */
  buildSlots: ConcurrencyLimiter
  startSlots: ConcurrencyLimiter
  imageVersion: string
  gateways?: Gateways | undefined
  drainMs: number
  graceMs: number
  logError(line: string): void
}

class Interrupted extends Error {}

/** The status after a failure in each status. */
const FAILURES: Record<string, RevisionStatus> = {
  AWAITING_BUILD: 'BUILD_FAILED',
  BUILDING: 'BUILD_FAILED',
  AWAITING_DEPLOY: 'DEPLOY_FAILED',
  DEPLOYING: 'DEPLOY_FAILED',
}
const RETRY_MS = 1000
/** Less than the platform's stop may take. */
const RETURN_MS = 5000
/** How many revision folders of a deployment are kept, so that rolling back needs no build. */
const KEPT_FOLDERS = 5

/**
 * Processes one deployment's work in sequence: its revisions, then its deletion. The next step is
 * always read from the store, so a killed queue resumes where it stopped.
 */
export class DeploymentQueue {
  readonly supervisor: Supervisor
  #isDeleting = false
  #needsCheck = false
  #running: Promise<void> | undefined
  #work: { revisionId: string; controller: AbortController; done: Promise<void> } | undefined
  /** The revision whose deploy log records restarts. */
  #active: RevisionRow | undefined
  readonly #end = new AbortController()

  constructor(
    readonly deploymentId: string,
    private readonly options: RolloutOptions,
    private readonly on: {
      /** Called when idle with nothing running: a new queue can start from the store later. */
      onIdle(): void
      /** Called when the deployment is deleted. */
      onGone(): void
    },
  ) {
    const { drainMs, graceMs, gateways } = options
    this.supervisor = new Supervisor({
      drainMs,
      graceMs,
      log: (level, message) => this.#say(level, message),
      ...(gateways && {
        onChange: () => gateways.changed(deploymentId),
        openElsewhere: (servers) => gateways.openRequests(servers),
      }),
    })
  }

  get isDeleting(): boolean {
    return this.#isDeleting
  }

  /** Whether there is a revision whose agent server is kept running. */
  get isKept(): boolean {
    return this.#active !== undefined
  }

  /** Checks for work, now or after the current work. */
  wake(): void {
    this.#needsCheck = true
    const { store, logError } = this.options
    // Busy: a new revision has to wait, and its status must show that.
    if (this.#running) store.queueNew(this.deploymentId).catch((error: Error) => logError(reasonOf(error)))
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#end.signal.aborted) return
      if (this.#needsCheck) this.wake()
      else if (this.supervisor.isIdle) this.on.onIdle()
    })
  }

  /** Starts deleting the deployment, which the store already marks as being deleted. */
  remove(): void {
    this.#isDeleting = true
    this.#work?.controller.abort(new Interrupted())
    this.wake()
  }

  /** Starts the agent server that was serving when the platform stopped. */
  restore(revision: RevisionRow): void {
    this.#active = revision
    const relaunch = this.#relaunch(revision)
    // Also after a roll-out has overtaken it, when another one is the active revision.
    const prune = () => void this.#prune(this.#active ?? revision, undefined)
    this.supervisor.restore((signal) => relaunch(signal).finally(prune))
  }

  /** Interrupts an unfinished revision at any stage; resolves once its status is updated. */
  async interrupt(revisionId: string): Promise<void> {
    if (await this.options.store.moveRevision(revisionId, 'INTERRUPTED', SUPERSEDABLE)) return
    if (this.#work?.revisionId !== revisionId) return
    this.#work.controller.abort(new Interrupted())
    await this.#work.done
  }

  /** Stops every process and leaves the store unchanged for the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#end.abort(new Error('The platform is stopping.'))
    await Promise.all([this.supervisor.stop(graceMs, 'release'), this.#running])
  }

  async #run(): Promise<void> {
    const { store, logError } = this.options
    while (this.#needsCheck && !this.#end.signal.aborted) {
      this.#needsCheck = false
      try {
        const deployment = await store.findDeployment(this.deploymentId)
        if (!deployment) return this.on.onGone()
        if (deployment.status === 'AWAITING_DELETE') return await this.#delete(deployment)
        await this.#next(deployment)
      } catch (error) {
        if (this.#end.signal.aborted) return
        logError(`Deployment ${this.deploymentId}: ${reasonOf(error)}`)
        this.#needsCheck = true
        await sleep(RETRY_MS, undefined, { signal: this.#end.signal }).catch(() => {})
      }
    }
  }

  async #next(deployment: DeploymentRow): Promise<void> {
    const { store, logger, databases } = this.options
    if (deployment.status === 'AWAITING_DATABASE') {
      await databases.addressOf(deployment.id)
      await store.setDeploymentReady(deployment.id)
    }
    await store.queueNew(deployment.id)
    const { next, superseded } = await store.nextRevision(deployment.id)
    for (const revision of superseded)
      logger.logOf({ deployment, revision }, 'build')('INFO', `Skipped: revision ${next?.number} took its place.`)
    if (!next) return
    this.#needsCheck = true // others may wait behind this one
    const controller = new AbortController()
    const done = this.#advance(deployment, next, AbortSignal.any([controller.signal, this.#end.signal]))
    this.#work = { revisionId: next.id, controller, done: done.catch(() => {}) }
    await done.finally(() => {
      this.#work = undefined
    })
  }

  /** Takes a revision from its current to a final status. Rejects only if the store cannot be written. */
  async #advance(deployment: DeploymentRow, begun: RevisionRow, signal: AbortSignal): Promise<void> {
    const { store, logs, logger, computes, buildSlots, startSlots, gateways } = this.options
    const compute = computes.of(begun)
    let revision = begun
    let status = begun.status as RevisionStatus
    const attributes = { 'pilothouse.deployment.id': deployment.id, 'pilothouse.revision.id': begun.id }
    const step = <T>(name: string, work: () => Promise<T>) => inSpan(name, { parent: '', attributes }, work)
    const move = async (to: RevisionStatus) => {
      signal.throwIfAborted()
      if (!(await store.moveRevision(revision.id, to))) throw new Interrupted()
      status = to
    }
    try {
      if (await compute.needsBuild({ deployment, revision })) {
        await move('AWAITING_BUILD')
        await this.#slots(buildSlots, compute)(signal, async () => {
          await move('BUILDING')
          revision = await step('build', () => compute.build({ deployment, revision }, signal))
        })
      }
      await move('AWAITING_DEPLOY')
      await this.#slots(startSlots, compute)(signal, async () => {
        await move('DEPLOYING')
        await step('roll-out', () => this.#deploy(deployment, revision, signal))
      })
    } catch (error) {
      if (this.#end.signal.aborted || this.#isDeleting) return
      const isInterrupted = error instanceof Interrupted
      const type = status === 'AWAITING_DEPLOY' || status === 'DEPLOYING' ? 'deploy' : 'build'
      const log = logger.logOf({ deployment, revision }, type)
      if (isInterrupted) log('WARNING', 'Interrupted.')
      else log('ERROR', (error as Error).message)
      await logs.flush() // before the status changes, so that its reason is already in the log
      await store.moveRevision(revision.id, isInterrupted ? 'INTERRUPTED' : (FAILURES[status] ?? 'CREATE_FAILED'))
      gateways?.changed(deployment.id)
    }
  }

  async #deploy(deployment: DeploymentRow, revision: RevisionRow, signal: AbortSignal): Promise<void> {
    const { store, logs, computes, imageVersion, gateways } = this.options
    const child = await computes.of(revision).start({ deployment, revision }, signal)
    try {
      await logs.flush()
      await child.receive(signal)
      await gateways?.lead(deployment.id, child)
      this.supervisor.lead(child) // before the database says that it serves
      if (!(await store.activate(deployment.id, revision.id, imageVersion))) throw new Interrupted()
    } catch (error) {
      this.supervisor.lead(undefined)
      gateways?.changed(deployment.id)
      await this.#returnTraffic()
      await child.stop(0)
      throw error
    }
    const before = this.#active
    this.#active = revision
    this.supervisor.adopt(child, this.#relaunch(revision))
    this.#say('INFO', 'Serving: new requests go to this revision.')
    await this.#prune(revision, before?.id)
  }

  /** Traffic that does not come through the gateway goes back before its servers are gone, if it soon can. */
  async #returnTraffic(): Promise<void> {
    const { signal } = this.#end
    // The platform's last attempt; its next start makes more.
    const until = signal.aborted ? AbortSignal.timeout(RETURN_MS) : signal
    const done = this.supervisor.current?.receive(until).catch(({ message }: Error) => this.options.logError(message))
    await Promise.race([done, sleep(RETURN_MS, undefined, { ref: false })])
  }

  /** Only what runs on this machine waits for others: a cluster may keep a roll-out waiting for days. */
  #slots(slots: ConcurrencyLimiter, { type }: Compute): ConcurrencyLimiter {
    return type === 'process' ? slots : (_signal, work) => work()
  }

  #relaunch(revision: RevisionRow) {
    const { computes, startSlots } = this.options
    return (signal: AbortSignal) => {
      const either = AbortSignal.any([signal, this.#end.signal])
      const compute = computes.of(revision)
      return this.#slots(startSlots, compute)(either, () => compute.resume(this.deploymentId, revision.id, either))
    }
  }

  #say(level: LogLevel, message: string): void {
    if (!this.#active) return
    this.options.logger.logOf({ deployment: { id: this.deploymentId }, revision: this.#active }, 'deploy')(
      level,
      message,
    )
  }

  async #prune(serving: RevisionRow, before: string | undefined): Promise<void> {
    const { store, computes, logError } = this.options
    if (this.#end.signal.aborted) return
    try {
      const newest = await store.listRevisions(this.deploymentId, { limit: KEPT_FOLDERS, offset: 0 })
      const kept = new Set([...newest.map((revision) => revision.id), serving.id, ...(before ? [before] : [])])
      await computes.of(serving).prune(this.deploymentId, serving.id, kept)
    } catch (error) {
      if (!this.#end.signal.aborted) logError(reasonOf(error))
    }
  }

  async #delete(deployment: DeploymentRow): Promise<void> {
    const { store, computes, databases, graceMs } = this.options
    this.#isDeleting = true
    await this.supervisor.stop(deployment.isForced ? 0 : graceMs)
    await computes.of(deployment).remove(deployment.id, deployment)
    await databases.remove(deployment.id)
    await store.removeDeployment(deployment.id)
    this.on.onGone()
  }
}

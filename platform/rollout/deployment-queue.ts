import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RevisionStatus } from '@/lib/contracts/wire/state'
import { reasonOf } from '../kernel/database'
import type { ConcurrencyLimiter } from '../kernel/limiter'
import type { RevisionLogs } from '../kernel/revision-log'
import type { DeploymentRow, RevisionRow } from '../kernel/schema'
import { type Store, SUPERSEDABLE } from '../kernel/store'
import { agentSchemaName } from './child-env'
import type { Launcher } from './launcher'
import { Supervisor } from './supervisor'

export type RolloutOptions = {
  store: Store
  logs: RevisionLogs
  launcher: Launcher
  /** How many builds, and how many starting agent servers, may be under way at once. */
  buildSlots: ConcurrencyLimiter
  startSlots: ConcurrencyLimiter
  imageVersion: string
  drainMs: number
  graceMs: number
  logError(line: string): void
}

class Interrupted extends Error {}

/** What a revision becomes when something goes wrong in a status. */
const FAILURES: Record<string, RevisionStatus> = {
  AWAITING_BUILD: 'BUILD_FAILED',
  BUILDING: 'BUILD_FAILED',
  AWAITING_DEPLOY: 'DEPLOY_FAILED',
  DEPLOYING: 'DEPLOY_FAILED',
}
const RETRY_MS = 1000
/** Revisions of a deployment whose folders stay, so that going back needs no build. */
const KEPT_FOLDERS = 5

/**
 * Everything that happens to one deployment, one thing after the other: its revisions, then its end. What is to do is
 * read from the store each time, so a queue that was killed anywhere goes on from there.
 */
export class DeploymentQueue {
  readonly supervisor: Supervisor
  #isDeleting = false
  #needsCheck = false
  #running: Promise<void> | undefined
  #work: { revisionId: string; controller: AbortController; done: Promise<void> } | undefined
  /** The revision whose deploy log hears of restarts. */
  #active: RevisionRow | undefined
  readonly #end = new AbortController()

  constructor(
    readonly deploymentId: string,
    private readonly options: RolloutOptions,
    private readonly on: {
      /** Nothing is to do and nothing runs: another queue may begin from the store when there is news. */
      onIdle(): void
      /** The deployment is no more. */
      onGone(): void
    },
  ) {
    const { drainMs, graceMs } = options
    this.supervisor = new Supervisor({ drainMs, graceMs, log: (level, message) => this.#say(level, message) })
  }

  get isDeleting(): boolean {
    return this.#isDeleting
  }

  /** Looks for something to do, now or as soon as what is under way is done. */
  wake(): void {
    this.#needsCheck = true
    const { store, logError } = this.options
    // Busy: what is new can only wait, and its status is to say so.
    if (this.#running) store.queueNew(this.deploymentId).catch((error: Error) => logError(reasonOf(error)))
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#end.signal.aborted) return
      if (this.#needsCheck) this.wake()
      else if (this.supervisor.isIdle) this.on.onIdle()
    })
  }

  /** Begins the end of the deployment; the store says so already. */
  remove(): void {
    this.#isDeleting = true
    this.#work?.controller.abort(new Interrupted())
    this.wake()
  }

  /** Starts the agent server that served when the platform was stopped. */
  restore(revision: RevisionRow): void {
    this.#active = revision
    this.supervisor.restore(this.#relaunch(revision.id))
  }

  /** Stops a revision that is not finished, wherever it is; resolves when its status says so. */
  async interrupt(revisionId: string): Promise<void> {
    if (await this.options.store.moveRevision(revisionId, 'INTERRUPTED', SUPERSEDABLE)) return
    if (this.#work?.revisionId !== revisionId) return
    this.#work.controller.abort(new Interrupted())
    await this.#work.done
  }

  /** Leaves the store as it is, for the next start, and ends every process. */
  async stop(graceMs: number): Promise<void> {
    this.#end.abort(new Error('The platform is stopping.'))
    await Promise.all([this.supervisor.stop(graceMs), this.#running])
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
    const { store, launcher } = this.options
    if (deployment.status === 'AWAITING_DATABASE') {
      await store.createAgentSchema(agentSchemaName(deployment.id))
      await store.setDeploymentReady(deployment.id)
    }
    await store.queueNew(deployment.id)
    const { next, superseded } = await store.nextRevision(deployment.id)
    for (const revision of superseded)
      launcher.logOf({ deployment, revision }, 'build')('INFO', `Skipped: revision ${next?.number} took its place.`)
    if (!next) return
    this.#needsCheck = true // others may wait behind this one
    const controller = new AbortController()
    const done = this.#advance(deployment, next, AbortSignal.any([controller.signal, this.#end.signal]))
    this.#work = { revisionId: next.id, controller, done: done.catch(() => {}) }
    await done.finally(() => {
      this.#work = undefined
    })
  }

  /** Takes a revision from where it is to a final status. Rejects only when the store cannot be written. */
  async #advance(deployment: DeploymentRow, begun: RevisionRow, signal: AbortSignal): Promise<void> {
    const { store, logs, launcher, buildSlots, startSlots } = this.options
    let revision = begun
    let status = begun.status as RevisionStatus
    const move = async (to: RevisionStatus) => {
      signal.throwIfAborted()
      if (!(await store.moveRevision(revision.id, to))) throw new Interrupted()
      status = to
    }
    try {
      if (await launcher.needsBuild({ deployment, revision })) {
        await move('AWAITING_BUILD')
        await buildSlots(signal, async () => {
          await move('BUILDING')
          revision = await launcher.build({ deployment, revision }, signal)
        })
      }
      await move('AWAITING_DEPLOY')
      await startSlots(signal, async () => {
        await move('DEPLOYING')
        await this.#deploy(deployment, revision, signal)
      })
    } catch (error) {
      if (this.#end.signal.aborted || this.#isDeleting) return
      const isInterrupted = error instanceof Interrupted
      const type = status === 'AWAITING_DEPLOY' || status === 'DEPLOYING' ? 'deploy' : 'build'
      const log = launcher.logOf({ deployment, revision }, type)
      if (isInterrupted) log('WARNING', 'Interrupted.')
      else log('ERROR', (error as Error).message)
      await logs.flush() // who sees the status finds the reason in the log
      await store.moveRevision(revision.id, isInterrupted ? 'INTERRUPTED' : (FAILURES[status] ?? 'CREATE_FAILED'))
    }
  }

  async #deploy(deployment: DeploymentRow, revision: RevisionRow, signal: AbortSignal): Promise<void> {
    const { store, logs, launcher, imageVersion } = this.options
    const child = await launcher.start({ deployment, revision }, signal)
    try {
      await logs.flush()
      if (!(await store.activate(deployment.id, revision.id, imageVersion))) throw new Interrupted()
    } catch (error) {
      await child.stop(0)
      throw error
    }
    const before = this.#active
    this.#active = revision
    this.supervisor.adopt(child, this.#relaunch(revision.id))
    this.#say('INFO', 'Serving: new requests go to this revision.')
    await this.#prune([revision.id, before?.id]).catch((error: Error) => this.options.logError(error.message))
  }

  #relaunch(revisionId: string) {
    const { startSlots, launcher } = this.options
    return (signal: AbortSignal) => {
      const either = AbortSignal.any([signal, this.#end.signal])
      return startSlots(either, () => launcher.restart(this.deploymentId, revisionId, either))
    }
  }

  #say(level: Parameters<ReturnType<Launcher['logOf']>>[0], message: string): void {
    if (!this.#active) return
    this.options.launcher.logOf({ deployment: { id: this.deploymentId, name: '' }, revision: this.#active }, 'deploy')(
      level,
      message,
    )
  }

  async #prune(serving: (string | undefined)[]): Promise<void> {
    const { store, launcher } = this.options
    const newest = await store.listRevisions(this.deploymentId, { limit: KEPT_FOLDERS, offset: 0 })
    const kept = new Set([...newest.map((revision) => revision.id), ...serving])
    const folder = launcher.folderOf(this.deploymentId)
    for (const name of await readdir(folder))
      if (!kept.has(name.replace(/\.gitconfig$/, '')))
        await rm(path.join(folder, name), { recursive: true, force: true })
  }

  async #delete(deployment: DeploymentRow): Promise<void> {
    const { store, launcher, graceMs } = this.options
    this.#isDeleting = true
    await this.supervisor.stop(deployment.isForced ? 0 : graceMs)
    await rm(launcher.folderOf(deployment.id), { recursive: true, force: true, maxRetries: 3 })
    await launcher.forget({ gone: deployment.id })
    await store.dropAgentSchema(agentSchemaName(deployment.id))
    await store.removeDeployment(deployment.id)
    this.on.onGone()
  }
}

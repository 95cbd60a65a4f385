import { setTimeout as sleep } from 'node:timers/promises'
import { RunControl } from '@langchain/langgraph'
import { stackOf } from '../kernel/errors'
import { Bus, type Claimable } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { type AttemptResult, type ExecutionServices, execute, type StopReason } from './execute'
import { type RunFinisher, SUSPECT_CRASHES } from './finish'
import type { Hub } from './hub'
import { RUN_COLUMNS, type RunRow } from './run-record'

/** Concurrent runs per process; each mostly waits for a model or a tool. */
const MAX_CONCURRENT = 100
/** Runs that one statement claims: it shows whether more wait, and many are shared between the processes. */
const CLAIMS_AT_ONCE = 2
/** How often to poll the queue and the other processes. */
const POLL_MS = 1000
/** How long a run is reserved for its creator: the process that took its request. */
const CREATOR_PRIORITY_MS = 200
/** A process counts as gone after two checks this far apart; a lost connection recovers sooner. */
const DEAD_AFTER_MS = 1500
const RETRY_MS = 500
/** With so many stored steps a run is no suspect any more. The only one of some runs comes with their end. */
const STEPS_THAT_CLEAR = 2

/** `isSuspect`: it has stored too few steps so far, and its processes may have ended because of it. */
type Active = { run: RunRow; isSuspect: boolean; abort: AbortController; control: RunControl; done: Promise<void> }

/** `dueMs`: when the run could have started, in epoch milliseconds. */
export type QueueObserver = { runBegan(dueMs: number): void; runEnded(status: string, ms: number): void }

const isSuspect = (run: RunRow) => run.crashes >= SUSPECT_CRASHES

/** Not before `ms` have passed, as a timer alone may. */
const later = (ms: number, work: () => void) => setTimeout(work, Math.ceil(ms) + 1).unref()

/** Claims runs from the store and executes them; several processes may share one store. */
export class Queue {
  readonly #active = new Map<string, Active>()
  readonly #suspects = new Map<number, number>()
  #isDraining = false
  #isStopped = false
  #claiming: Promise<void> | undefined
  /** The answer of a claim was lost, so this process may own a run that it does not execute. */
  #hasLostClaim = false
  /** A run may wait that this process has not looked for, or had no room for. */
  #needsCheck = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly services: ExecutionServices,
    private readonly bus: Bus,
    private readonly hub: Hub,
    private readonly finisher: RunFinisher,
    private readonly log: (level: 'info' | 'error', message: string, runId?: string) => void,
    private readonly observer?: QueueObserver,
    private readonly pollMs = POLL_MS,
  ) {}

  /** Runs that are executed here. */
  get size(): number {
    return this.#active.size
  }

  get #db(): Db {
    return this.services.db
  }

  start(): void {
    this.bus.on('message', (message) => {
      if (message.kind === 'waiting') this.#wake(this.#reservedMs(message))
      // It was cancelled, deleted, given up or claimed by another process.
      else if (message.kind !== 'watch' && this.#active.has(message.run)) void this.#checkActive()
    })
    this.bus.on('claimable', (run) => this.#offer(run))
    this.bus.on('reconnected', () => void this.#poll())
    this.bus.on('woken', () => this.#stopAtNextStep())
    this.#schedule()
    void this.#poll()
  }

  /** Claims no new runs; current ones continue. Resolves when they have ended. */
  async drain(): Promise<void> {
    this.#isDraining = true
    await this.#claiming
    if (this.#needsCheck) this.#passOn()
    await Promise.all([...this.#active.values()].map((one) => one.done))
  }

  /** Returns all runs to the queue: they stop at their next step, or mid-step after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isDraining = true
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#claiming
    if (this.#needsCheck) this.#passOn()
    this.#stopAtNextStep()
    const done = Promise.all([...this.#active.values()].map((one) => one.done))
    await Promise.race([done, sleep(graceMs)])
    for (const { abort } of this.#active.values()) abort.abort('released' satisfies StopReason)
    await Promise.race([done, sleep(1000)])
  }

  /** With everything stored up to there, if this process still has the run. */
  #stopAtNextStep(): void {
    for (const { control } of this.#active.values()) control.requestDrain()
  }

  get #room(): number {
    return this.#isDraining || !this.bus.isConnected ? 0 : Math.max(0, MAX_CONCURRENT - this.#active.size)
  }

  /** Until then, only its creator may claim the run. */
  #reservedMs({ creator, dueMs }: Claimable): number {
    return creator === this.bus.instance ? 0 : Math.max(0, dueMs + CREATOR_PRIORITY_MS)
  }

  /** Claims the run here, and tells the other processes if this one cannot, or not yet. */
  #offer(run: Claimable): void {
    // A timer's maximum; the regular poll finds runs beyond it.
    if (run.dueMs >= 2 ** 31) return
    if (run.dueMs > 0) {
      later(run.dueMs, () => this.#offer({ ...run, dueMs: 0 }))
      return
    }
    const reservedMs = this.#reservedMs(run)
    if (reservedMs > 0 || this.#room === 0) void this.bus.send({ kind: 'waiting', ...run })
    this.#wake(reservedMs)
  }

  /** Looks for runs now, or after `delayMs`. */
  #wake(delayMs = 0): void {
    if (delayMs > 0) {
      later(delayMs, () => this.#wake())
      return
    }
    this.#needsCheck = true
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined
    })
  }

  get #hasSuspect(): boolean {
    return [...this.#active.values()].some((one) => one.isSuspect)
  }

  async #claimAll(): Promise<void> {
    while (this.#needsCheck && this.#room > 0) {
      this.#needsCheck = false
      try {
        if (this.#hasLostClaim) await this.#returnLostClaims()
        const limit = Math.min(this.#room, CLAIMS_AT_ONCE)
        const runs = await this.#claim(limit)
        await Promise.all(
          runs.map(async (run) => {
            await this.bus.announced(run.run_id)
            this.#begin(run)
          }),
        )
        // The next one is for another process.
        if (runs.some(isSuspect)) this.#passOn()
        if (runs.length < limit) continue
        this.#needsCheck = true
        if (this.#room === 0) this.#passOn()
      } catch (error) {
        // Two processes claimed runs of one thread at the same moment: the unique index let one through.
        if ((error as { code?: string }).code !== '23505') {
          this.#hasLostClaim = true
          this.log('error', `The queue cannot be read: ${(error as Error).message}`)
          return
        }
        this.#needsCheck = true
      }
    }
  }

  /** Makes other processes look for the runs that this one was about to claim. */
  #passOn(): void {
    void this.bus.send({ kind: 'waiting', run: '', creator: this.bus.instance, dueMs: 0 })
  }

  /** The oldest due runs that are first on a thread with no running run, and one suspect at most. */
  #claim(limit: number): Promise<RunRow[]> {
    return this.#db.query<RunRow>(
      `with due as (
         select r.run_id as due_id from runs r
         where r.status = 'pending' and r.run_after <= now()
           and (r.creator = $1 or r.run_after <= now() - $2 * interval '1 millisecond')
           and (r.crashes < ${SUSPECT_CRASHES} or (not $4 and not exists (select from runs o
             where o.status = 'pending' and o.crashes >= ${SUSPECT_CRASHES} and o.seq < r.seq)))
           and not exists (select from runs o where o.thread_id = r.thread_id and (o.status = 'running'
             or (o.status = 'pending' and o.run_after <= now() and o.seq < r.seq)))
         order by r.seq limit $3 for update skip locked)
       update runs set status = 'running', owner = $1, attempt = attempt + 1, updated_at = now(),
         started_at = coalesce(started_at, now())
       from due where run_id = due_id
       returning ${RUN_COLUMNS}`,
      [this.bus.instance, CREATOR_PRIORITY_MS, limit, this.#hasSuspect],
    )
  }

  async #returnLostClaims(): Promise<void> {
    await this.#db.query(
      `update runs set status = 'pending', owner = null, updated_at = now()
       where owner = $1 and status = 'running' and run_id <> all($2)`,
      [this.bus.instance, [...this.#active.keys()]],
    )
    this.#hasLostClaim = false
  }

  #begin(run: RunRow): void {
    // Other processes may have readers: the request came in there, a reader waits there, or an earlier attempt ran there.
    const isFollowed = run.creator !== this.bus.instance || run.is_watched || run.attempt > 1
    // Others gave it up while this process was only unreachable.
    const before = this.#active.get(run.run_id)
    before?.abort.abort('gone' satisfies StopReason)
    const abort = new AbortController()
    const control = new RunControl()
    const active: Active = { run, isSuspect: isSuspect(run), abort, control, done: Promise.resolve() }
    let steps = 0
    const clear = () => {
      if (!active.isSuspect) return
      active.isSuspect = false
      this.#wake()
    }
    // Stopped before any process executed it.
    if (run.cancel) abort.abort(run.cancel)
    if (isFollowed) void this.bus.send({ kind: 'claimed', run: run.run_id })
    const began = performance.now()
    if (run.attempt === 1) this.observer?.runBegan(run.created_at.getTime() + (run.kwargs.after_seconds ?? 0) * 1000)
    let release = () => {}
    const work = async () => {
      if (before) await before.done
      const onLost = () => abort.abort('gone' satisfies StopReason)
      const begun = this.hub.begin(run.run_id, run.attempt, { isKept: run.is_resumable, isFollowed, onLost })
      release = begun.release
      const { log, writer } = begun
      await begun.ready
      const result = await execute(run, this.services, {
        ...{ log, writer, control },
        signal: abort.signal,
        onStep: () => {
          steps += 1
          if (steps === STEPS_THAT_CLEAR) clear()
        },
      })
      if (result.kind === 'failed') this.log('error', `The run failed: ${stackOf(result.thrown)}`, run.run_id)
      await this.#storeEnd(run, result, async () => {
        const status = await this.finisher.finish(run, result, log, writer)
        this.observer?.runEnded(status, performance.now() - began)
      })
    }
    active.done = work().finally(() => {
      // Given back to the queue, it may be in its next attempt here already.
      if (this.#active.get(run.run_id)?.abort === abort) this.#active.delete(run.run_id)
      release()
      // Else nothing has waited for the room that this run had: the next one of its thread was offered.
      if (this.#needsCheck) this.#wake()
      clear()
    })
    this.#active.set(run.run_id, active)
  }

  /** Retries until the end is stored, however long the store is unreachable: until then the thread belongs to this run. */
  async #storeEnd(run: RunRow, result: AttemptResult, store: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await store()
        return
      } catch (error) {
        this.log('error', `The end of the run (${result.kind}) cannot be stored: ${stackOf(error)}`, run.run_id)
        if (this.#isStopped) return
        await sleep(Math.min(RETRY_MS * tries, 10_000))
      }
    }
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#poll().finally(() => {
        if (!this.#isStopped) this.#schedule()
      })
    }, this.pollMs)
    this.#timer.unref()
  }

  async #poll(): Promise<void> {
    this.#wake()
    try {
      await Promise.all([this.#checkActive(), this.#takeOrphans()])
    } catch (error) {
      if (!this.#isStopped) this.log('error', `The store cannot be read: ${(error as Error).message}`)
    }
  }

  /** Stops runs that were cancelled or deleted. */
  async #checkActive(): Promise<void> {
    if (this.#active.size === 0) return
    const asked = new Map(this.#active)
    const ids = [...asked.keys()]
    const rows = await this.#db.query<Pick<RunRow, 'run_id' | 'cancel' | 'owner'>>(
      'select run_id, cancel, owner from runs where run_id = any($1)',
      [ids],
    )
    const known = new Map(rows.map((row) => [row.run_id, row]))
    for (const [id, one] of asked) {
      const row = known.get(id)
      const reason: StopReason | null | undefined = row?.owner === this.bus.instance ? row.cancel : 'gone'
      // A later request may be stronger, but a stopped run keeps its first reason.
      // The answer is about this attempt: the run may have been given back and claimed again meanwhile.
      if (reason) one.abort.abort(reason)
    }
  }

  /** Returns runs of dead processes to the queue, to resume from their last checkpoint. */
  async #takeOrphans(): Promise<void> {
    if (this.#isDraining) return
    // Includes unlisted owners: an instance removed while it was only unreachable, or whose last claim came after its removal.
    const gone = await this.#db.query<{ id: number }>(
      `select id from (select id from instances union select owner from runs where status = 'running') i
       where id <> $1 and ${Bus.isGone('i.id')}`,
      [this.bus.instance],
    )
    const now = performance.now()
    for (const id of this.#suspects.keys()) if (!gone.some((one) => one.id === id)) this.#suspects.delete(id)
    for (const { id } of gone) {
      const since = this.#suspects.get(id)
      if (since === undefined) {
        this.#suspects.set(id, now)
        setTimeout(() => void this.#poll(), DEAD_AFTER_MS).unref()
      } else if (now - since >= DEAD_AFTER_MS) await this.#releaseRunsOf(id)
    }
  }

  async #releaseRunsOf(instance: number): Promise<void> {
    // A poll meanwhile does not do the same; should this fail, a later one does.
    this.#suspects.delete(instance)
    for (const { run, crashes } of await this.finisher.takeFrom(instance)) {
      const times = crashes === 1 ? '' : `, ${crashes} times without a new step`
      this.log('info', `The process that executed the run has ended${times}.`, run.run_id)
    }
    await this.#db.query(
      'with readers as (delete from thread_readers where instance = $1) delete from instances where id = $1',
      [instance],
    )
    this.#wake()
  }
}

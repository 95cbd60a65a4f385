import type { StateSnapshot } from '@langchain/langgraph'
import type { RunError } from '../kernel/errors'
import type { Bus, Claimable } from '../persistence/bus'
import type { Db, Query } from '../persistence/db'
import { encode } from '../threads/messages'
import { restingStatus } from '../threads/state'
import type { ThreadStates } from '../threads/thread-state'
import { REFRESH_TTL, removeThread, type Threads } from '../threads/threads'
import type { EventWriter } from './event-store'
import type { Entry, RunLog } from './events'
import type { AttemptResult } from './execute'
import { CLAIMABLE, freeThread } from './free-thread'
import { enqueueNotices } from './notices'
import { undoRun } from './rollback'
import { RUN_COLUMNS, type RunRow } from './run-record'

/** A run that was alone in this many processes that ended, with no step stored in between, fails for good. */
const MAX_CRASHES = 3
/** The same if other runs were there, each of which may be the cause, or if it only lost its store. */
const MAX_SHARED_CRASHES = 10
/** From so many crashes on a process executes only one such run at a time, so that it does not take others with it. */
export const SUSPECT_CRASHES = 5
/** The same for a run that always gets a step further: it must not end its processes forever. */
const MAX_ATTEMPTS = 100
/** How long to keep a temporary thread whose run was requested in another process, which reads the result from it. */
const KEPT_FOR_OTHERS = `now() + interval '60 seconds'`

/** SQL for a run: whether its newest attempt stored a step. */
const HAS_STEP = `exists (select from checkpoints c where c.thread_id = runs.thread_id
  and c.metadata ->> 'run_id' = runs.run_id and c.metadata ->> 'run_attempt' = runs.attempt::text)`

type Loss = { run: RunRow; crashes: number; isLast: boolean }

/** How often the run has lost its process or its store since it last stored a step, and whether that was the last time. */
function lossOf(run: RunRow, hasStep: boolean, wasAlone: boolean): Omit<Loss, 'run'> {
  const crashes = hasStep ? 1 : run.crashes + 1
  const most = wasAlone ? MAX_CRASHES : MAX_SHARED_CRASHES
  return { crashes, isLast: crashes >= most || run.attempt >= MAX_ATTEMPTS }
}

/** A rollback was requested just as the run ended. The requester was promised it, so it must still happen. */
class RollbackAsked extends Error {}

/** Ends runs in the store, each in one transaction, so that readers see the complete end or none of it. */
export class RunFinisher {
  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly threads: Threads,
    private readonly states: ThreadStates,
    /** Called when notices of the end were queued. */
    private readonly onNotice: () => void = () => {},
  ) {}

  /** Ends an attempt that this process executed, and its log last. Returns the run's status or other outcome. */
  async finish(run: RunRow, result: AttemptResult, log: RunLog, writer: EventWriter): Promise<string> {
    await writer.flush()
    if (result.kind === 'stopped' && result.reason === 'released') {
      await this.release(run)
      return 'released'
    }
    if (result.kind === 'lost') {
      // Counted as a crash, to limit the number of retries.
      const [row] = await this.db.query<{ has_step: boolean }>(
        `select ${HAS_STEP} as has_step from runs where run_id = $1 and attempt = $2`,
        [run.run_id, run.attempt],
      )
      const { crashes, isLast } = lossOf(run, row?.has_step ?? false, false)
      if (isLast) return this.#end(run, { ...result, kind: 'failed', thrown: undefined }, log, writer)
      await this.release(run, crashes)
      return 'released'
    }
    try {
      return await this.#end(run, result, log, writer)
    } catch (error) {
      if (!(error instanceof RollbackAsked)) throw error
      return this.#end(run, { kind: 'stopped', reason: 'rollback' }, log, writer)
    }
  }

  async #end(
    run: RunRow,
    result: Exclude<AttemptResult, { kind: 'lost' }>,
    log: RunLog,
    writer: EventWriter,
  ): Promise<string> {
    if (result.kind === 'stopped' && result.reason === 'rollback') await undoRun(this.db, run)
    const snapshot = result.kind === 'done' ? result.snapshot : await this.#stateOf(run)
    const error = result.kind === 'failed' ? result.error : undefined
    const status = statusOf(result)
    const entries: [event: string, data: unknown][] = [
      ...(error ? [['error', error] as [string, unknown]] : []),
      ['end', { run_id: run.run_id, status }],
    ]
    const last: Entry[] = entries.map(([event, data], index) => ({
      id: log.lastId + 1 + index,
      event,
      data: encode(data),
    }))
    const resting = restingOf(status, snapshot, result.kind === 'done')
    const isOurs = await this.#store(run, status, resting, error, async (query) => {
      await writer.finish(query, last)
      return await enqueueNotices(query, run, status, snapshot, error)
    })
    // Given up by others, and claimed again: readers go on with the attempt that has it now.
    if (!isOurs && (await this.#isStored(run))) return 'released'
    log.outcome = { status: isOurs ? status : 'gone', snapshot, error }
    for (const entry of last) log.relay(entry)
    log.end()
    await this.bus.send({ kind: 'ended', run: run.run_id })
    return status
  }

  /**
   * Returns the runs of a process that is gone to the queue, with one statement however many there are, and ends those that
   * were cancelled or crashed too often. Several processes may do this at once; each resolves with what it did.
   */
  async takeFrom(instance: number): Promise<Loss[]> {
    const orphans = await this.db.query<RunRow & { has_step: boolean }>(
      `select ${RUN_COLUMNS}, ${HAS_STEP} as has_step from runs where owner = $1 and status = 'running'`,
      [instance],
    )
    if (!orphans.length) return []
    const losses = orphans.map((run) => ({ run, ...lossOf(run, run.has_step, orphans.length === 1) }))
    const isOver = ({ run, isLast }: Loss) => run.cancel !== null || isLast
    const going = losses.filter((loss) => !isOver(loss))
    const released = await this.db.query<Claimable>(
      `with own as (select run_id as id, lost from runs join unnest($2::text[], $3::int[], $4::int[]) o (id, tried, lost)
           on run_id = o.id and attempt = o.tried
         where owner = $1 and status = 'running' for no key update of runs skip locked)
       update runs set status = 'pending', owner = null, crashes = lost, updated_at = now()
       from own where run_id = own.id returning ${CLAIMABLE}`,
      [
        instance,
        going.map(({ run }) => run.run_id),
        going.map(({ run }) => run.attempt),
        going.map(({ crashes }) => crashes),
      ],
    )
    for (const { run } of released) void this.bus.tell({ kind: 'ended', run })
    const [first] = released
    // A process that gets it claims until nothing is left.
    if (first) await this.bus.tell({ kind: 'waiting', ...first })
    const over = losses.filter(isOver)
    await Promise.all(over.map(({ run }) => this.#finishOrphan(run)))
    const taken = new Set(released.map(({ run }) => run))
    return losses.filter((loss) => isOver(loss) || taken.has(loss.run.run_id))
  }

  /** As requested, or because it crashed too often. */
  async #finishOrphan(run: RunRow): Promise<void> {
    const error = run.cancel
      ? undefined
      : {
          error: 'ProcessCrashed',
          message: `The process that executed this run ended again and again, last in attempt ${run.attempt}.`,
        }
    if (run.cancel === 'rollback') await undoRun(this.db, run)
    const snapshot = await this.#stateOf(run)
    const status = error ? 'error' : run.cancel === 'rollback' ? 'rollback' : 'interrupted'
    await this.#store(run, status, restingOf(status, snapshot, false), error, (query) =>
      enqueueNotices(query, run, status, snapshot, error),
    )
    await this.bus.tell({ kind: 'ended', run: run.run_id })
  }

  /** Returns a run to the queue; the process that claims it continues it. */
  async release(run: RunRow, crashes = run.crashes): Promise<void> {
    const [released] = await this.db.query<Claimable>(
      `update runs set status = 'pending', owner = null, crashes = $3, updated_at = now()
       where run_id = $1 and status = 'running' and owner = $2 and attempt = $4 returning ${CLAIMABLE}`,
      [run.run_id, run.owner, crashes, run.attempt],
    )
    await this.bus.tell({ kind: 'ended', run: run.run_id })
    if (released) await this.bus.tell({ kind: 'waiting', ...released })
  }

  async #isStored({ run_id }: RunRow): Promise<boolean> {
    return (await this.db.query('select from runs where run_id = $1', [run_id])).length > 0
  }

  /** False if this attempt no longer owns the run: it was deleted, or is in another attempt. */
  async #store(
    run: RunRow,
    status: string,
    resting: string | undefined,
    error: RunError | undefined,
    enqueue: (query: Query) => Promise<boolean>,
  ): Promise<boolean> {
    let hasNotices = false
    let next: Claimable | undefined
    const isOurs = await this.db.transaction(async (query) => {
      await query('select from threads where thread_id = $1 for update', [run.thread_id])
      if (!(await this.#closeRun(query, run, status, error))) return false
      hasNotices = await enqueue(query)
      if (run.plan.deletesThread) {
        if (run.creator === this.bus.instance) await removeThread(query, run.thread_id, !run.is_resumable)
        else await query(`update threads set expires_at = ${KEPT_FOR_OTHERS} where thread_id = $1`, [run.thread_id])
        return true
      }
      await query(
        `update threads set resting = coalesce($2, resting), error = case when $2::text is null then error else $3::json end,
           state_updated_at = now(), ${REFRESH_TTL} where thread_id = $1`,
        [run.thread_id, resting, error ? JSON.stringify(error) : null],
      )
      next = await freeThread(query, run.thread_id)
      return true
    })
    if (next) this.bus.emit('claimable', next)
    if (isOurs && hasNotices) this.onNotice()
    return isOurs
  }

  /** Returns false if this process no longer owns the run. Throws if a rollback was requested at the last moment. */
  async #closeRun(query: Query, run: RunRow, status: string, error: RunError | undefined): Promise<boolean> {
    const isMine = `run_id = $1 and status = 'running' and owner = $2 and attempt = $3`
    const forget = `with forgotten as (delete from kept_writes where run_id = $1 and exists (select from runs where ${isMine}))`
    const mine = [run.run_id, run.owner, run.attempt]
    if (status === 'rollback')
      return (await query(`${forget} delete from runs where ${isMine} returning run_id`, mine)).length > 0
    const [row] = await query(
      `${forget} update runs set status = $4, error = $5, owner = null, updated_at = now()
       where ${isMine} and cancel is distinct from 'rollback' returning run_id`,
      [...mine, status, error ? JSON.stringify(error) : null],
    )
    if (row) return true
    const [asked] = await query(`select from runs where ${isMine} and cancel = 'rollback'`, mine)
    if (asked) throw new RollbackAsked()
    return false
  }

  /** The newest state; undefined if it cannot be read, because that must not keep a run from ending. */
  async #stateOf(run: RunRow): Promise<StateSnapshot | undefined> {
    try {
      return await this.states.snapshot(await this.threads.get(run.thread_id))
    } catch {
      return undefined
    }
  }
}

function statusOf(result: Exclude<AttemptResult, { kind: 'lost' }>): string {
  if (result.kind === 'done') return restingStatus(result.snapshot) === 'interrupted' ? 'interrupted' : 'success'
  if (result.kind === 'failed') return 'error'
  return result.reason === 'rollback' ? 'rollback' : 'interrupted'
}

/**
 * The thread's status after the run. Undefined for a rolled back run, which leaves the status unchanged; unfinished
 * steps of a cancelled run do not make it interrupted.
 */
function restingOf(status: string, snapshot: StateSnapshot | undefined, isDone: boolean): string | undefined {
  if (status === 'rollback') return undefined
  if (status === 'error') return 'error'
  if (!snapshot) return 'idle'
  if (isDone) return restingStatus(snapshot)
  return snapshot.tasks.some((task) => task.interrupts.length > 0) ? 'interrupted' : 'idle'
}

import type { Db } from '../persistence/db'
import { removeUnusedBlobs } from '../threads/threads'
import type { RunRow } from './run-record'

/** Rolls a run back: restores the thread's state from before it. */

export const checkpointIdOf = ({ kwargs }: RunRow): string | null =>
  kwargs.checkpoint?.checkpoint_id ?? kwargs.checkpoint_id ?? null

/** Such a run adds answers and results to an existing checkpoint, in addition to creating its own. */
export const continuesCheckpoint = ({ kwargs, input_pieces }: RunRow): boolean =>
  !!kwargs.command || (input_pieces === null && (kwargs.input ?? null) === null)

/** Selects the writes `w` of thread $1 that belong to the newest checkpoint of each graph, or to checkpoint $2. */
const CONTINUED = `w.thread_id = $1 and (w.checkpoint_id = $2 or w.checkpoint_id = (select max(c.checkpoint_id) from checkpoints c
  where c.thread_id = w.thread_id and c.checkpoint_ns = w.checkpoint_ns))`
const WRITE = 'thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob'

/** Saves the pending writes of the checkpoints that the run may continue from. Only the first attempt saves the true ones. */
export async function saveOriginalWrites(run: RunRow, db: Db): Promise<void> {
  await db.query(
    `with marked as (update runs set has_kept_writes = true where run_id = $3 and not has_kept_writes returning run_id)
     insert into kept_writes (run_id, ${WRITE})
     select marked.run_id, ${WRITE.replace(/\w+/g, 'w.$&')} from marked, checkpoint_writes w where ${CONTINUED}`,
    [run.thread_id, checkpointIdOf(run), run.run_id],
  )
}

/** Removes what the run stored and restores what it changed, unless another process has taken it over. Idempotent. */
export async function undoRun(db: Db, run: RunRow): Promise<void> {
  await db.transaction(async (query) => {
    // Until then, the thread belongs to the run; afterwards, the next one may be writing to it.
    const [row] = await query<{ has_kept_writes: boolean }>(
      `select has_kept_writes from runs where run_id = $1 and status = 'running' and owner = $2 and attempt = $3
       for no key update`,
      [run.run_id, run.owner, run.attempt],
    )
    if (!row) return
    const mine = [run.thread_id, run.run_id]
    await query(
      `delete from checkpoint_writes w using checkpoints c where c.thread_id = $1 and c.metadata ->> 'run_id' = $2
         and w.thread_id = c.thread_id and w.checkpoint_ns = c.checkpoint_ns and w.checkpoint_id = c.checkpoint_id`,
      mine,
    )
    await query(`delete from checkpoints where thread_id = $1 and metadata ->> 'run_id' = $2`, mine)
    await removeUnusedBlobs(query, run.thread_id)
    if (!row.has_kept_writes) return
    await query(`delete from checkpoint_writes w where ${CONTINUED}`, [run.thread_id, checkpointIdOf(run)])
    await query(`insert into checkpoint_writes (${WRITE}) select ${WRITE} from kept_writes where run_id = $1`, [
      run.run_id,
    ])
  })
}

import type { Claimable } from '../persistence/bus'
import type { Query } from '../persistence/db'

/** SQL condition on `threads`: whether the thread has a run in progress. */
const HAS_RUNS = `exists (select from runs where runs.thread_id = threads.thread_id and runs.status in ('pending', 'running'))`

/** Columns of `Claimable`. The clock, because a transaction's time can be that of long before its locks. */
export const CLAIMABLE = `run_id as run, creator, (extract(epoch from run_after - clock_timestamp()) * 1000)::float8 as "dueMs"`

/**
 * Updates the thread after one of its runs ended or was removed: busy if others are in progress, else its resting status.
 * Returns the run that can be claimed next. One that becomes due only now counts: its creator may have looked too early.
 */
export async function freeThread(query: Query, threadId: string): Promise<Claimable | undefined> {
  const [thread] = await query<{ status: string }>(
    `update threads set updated_at = now(), status = case when ${HAS_RUNS} then 'busy' else resting end
     where thread_id = $1 returning status`,
    [threadId],
  )
  if (thread?.status !== 'busy') return undefined
  const [next] = await query<Claimable>(
    `select ${CLAIMABLE} from runs where thread_id = $1 and status = 'pending'
       and run_after <= clock_timestamp() + interval '1 second'
       and not exists (select from runs where thread_id = $1 and status = 'running')
     order by run_after > clock_timestamp(), seq limit 1`,
    [threadId],
  )
  return next
}

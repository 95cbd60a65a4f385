import type { StateSnapshot } from '@langchain/langgraph'
import type { RunError } from '../kernel/errors'
import { iso, type Query } from '../persistence/db'
import { encodeRecord } from '../threads/messages'
import { type RunRow, runOut, TASK_KEY, withInput } from './run-record'

/** Queues a run's webhook and push notifications in the transaction that ends the run. Whether there are any. */
export async function enqueueNotices(
  query: Query,
  row: RunRow,
  status: string,
  snapshot?: StateSnapshot,
  error?: RunError,
): Promise<boolean> {
  // A rolled back run leaves nothing to report.
  if (status === 'rollback') return false
  const pushed = await query(
    `insert into webhooks (run_id, url, body, push_task, push_config)
     select $1, url, '', task_id, config_id from push_configs
     where task_id = (select run_id from runs where run_id = $2 and thread_id = $3) returning id`,
    [row.run_id, row.metadata[TASK_KEY] ?? row.run_id, row.thread_id],
  )
  if (!row.kwargs.webhook) return pushed.length > 0
  const ended = new Date()
  const body = encodeRecord({
    ...runOut(await withInput(query, { ...row, status, updated_at: ended })),
    run_started_at: row.started_at && iso(row.started_at),
    run_ended_at: iso(ended),
    values: snapshot?.createdAt === undefined ? null : snapshot.values,
    ...(error && { error }),
  })
  await query('insert into webhooks (run_id, url, body) values ($1, $2, $3)', [row.run_id, row.kwargs.webhook, body])
  return true
}

// What rows of runs and the audit trail take on disk, once retention removes as much as comes in. Their tables have no
// partitions.
import { randomUUID } from 'node:crypto'
import { lte } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { loadSources } from '../../scripts/checks/load-sources.mjs'
import { SCALE } from '../live/rounds.mjs'
import { newDatabase, replaced } from './replaced.mjs'

/** Of a day. */
const RUNS = Math.round(400 * SCALE)
const CHANGES = Math.round(200 * SCALE)
const AT_ONCE = 50
const THREADS = 50
const INPUT = { messages: [{ role: 'user', content: 'What is new in the inbox, and what of it can wait? '.repeat(8) }] }

const SOURCES = [
  "export { MIGRATIONS } from './platform/agent-server/persistence/migrations'",
  "export { agentSchemaName } from './platform/kernel/agent-database'",
  "export { sweepRuns } from './platform/kernel/run-retention'",
]

/**
 * Rows of runs with the statements of a run's life: queued, claimed, ended.
 * @param {string} server the address of a database server
 */
export async function runGrowth(server) {
  const ours = await loadSources('growth-runs', SOURCES)
  const { client } = await newDatabase(server, 'growth_runs')
  const deployment = { id: randomUUID(), name: 'bench' }
  const schema = ours.agentSchemaName(deployment.id)
  await client.query(`create schema ${schema}`)
  await client.query(`set search_path to ${schema}`)
  await client.query(ours.MIGRATIONS[0])
  await client.query('insert into threads (thread_id) select n::text from generate_series(1, $1::int) n', [THREADS])
  const live = async (/** @type {number} */ n, /** @type {number} */ age) => {
    const id = randomUUID()
    await client.query(
      `insert into runs (run_id, thread_id, assistant_id, graph_id, metadata, kwargs, plan, multitask_strategy,
         is_resumable, creator, created_at, updated_at)
       values ($1, $2, 'agent', 'agent', '{"graph_id":"agent"}', $3, '{"config":{}}', 'enqueue', true, 1,
         now() - make_interval(days => $4), now() - make_interval(days => $4))`,
      [id, String((n % THREADS) + 1), JSON.stringify({ input: INPUT, stream_mode: ['values'], n }), age],
    )
    await client.query(`update runs set status = 'running', owner = 1, attempt = 1 where run_id = $1`, [id])
    await client.query(`update runs set status = 'success', owner = null where run_id = $1`, [id])
  }
  try {
    return await replaced({
      ...{ what: 'run rows', client, tables: [`${schema}.runs`] },
      fill: async (age) => {
        for (let n = 0; n < RUNS; n += 1) await live(n, age)
      },
      remove: (days) => ours.sweepRuns(drizzle({ client }), [deployment], { maxAgeDays: days, maxBytes: null }),
    })
  } finally {
    await client.end()
  }
}

/**
 * Entries of the audit trail, two for each change.
 * @param {any} ours functions of the console
 * @param {{ client: import('pg').Client }} store a database that the console has adopted
 */
export async function auditGrowth(ours, { client }) {
  const entry = {
    ...{ actor: { id: randomUUID(), email: 'ada@example.com', kind: 'user' }, role: 'admin', requestId: randomUUID() },
    ...{ operation: 'updateDeployment', params: { deployment_id: randomUUID() }, fields: ['secrets', 'source_config'] },
    workspace: 'bench',
  }
  const change = async () => {
    const intent = await ours.recordIntent(entry)
    await ours.recordOutcome({ intent, status: 200, outcome: 'done', upstreamStatus: 200 })
  }
  const held = { write: async () => {}, done: async () => {} }
  /** The last entry of each day, by the age of the day. */
  const ends = new Map()
  return await replaced({
    ...{ what: 'the audit trail', client, tables: ['console.audit', 'console.audit_gaps'] },
    fill: async (age) => {
      for (let n = 0; n < CHANGES; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, change))
      const { rows } = await client.query('select max(seq)::int as seq from console.audit')
      ends.set(age, rows[0].seq)
    },
    remove: async (age) =>
      ends.has(age) ? (await ours.removeRows(lte(ours.audit.seq, ends.get(age)), held, { by: 'bench' })).rows : 0,
  })
}

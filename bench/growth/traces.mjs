// What traces take on disk, with indexes, TOAST and dead rows, once retention removes as much as comes in: a day of traces
// arrives, the oldest day goes, over and over. Rows of traces are deleted and not dropped by the partition, so this tells
// whether the room that they took is used again.
import { randomBytes, randomUUID } from 'node:crypto'
import { loadSources } from '../../scripts/checks/load-sources.mjs'
import { SCALE } from '../live/rounds.mjs'
import { newDatabase, replaced } from './replaced.mjs'

/** Smaller ones stay as they are; in use, 64 MB. */
const MIN_INDEX_BYTES = 1_000_000
/** Traces of a day, and the runs of each. */
const TRACES = Math.round(40 * SCALE)
const RUNS = 5
/** Traces of one request. */
const BATCH = 20
const DAY_MS = 86_400_000
const TABLES = ['trace_runs', 'trace_payloads', 'trace_attachments', 'trace_feedback'].map((name) => `platform.${name}`)

const SOURCES = [
  "export { openDatabase } from './platform/kernel/database'",
  "export { IntakeRequest } from './platform/traces/intake-request'",
  "export { RunStore } from './platform/traces/run-store'",
  "export { rebuildIndexes } from './platform/traces/upkeep/indexes'",
  "export { sweepTraces } from './platform/traces/upkeep/retention'",
]

/** @param {string} server the address of a database server */
export async function traceGrowth(server) {
  const ours = await loadSources('growth-traces', SOURCES)
  const { url, client } = await newDatabase(server, 'growth_traces')
  const opened = await ours.openDatabase(url, () => {})
  try {
    const store = new ours.RunStore(opened.db)
    const settings = new Map()
    const kept = {
      setting: async (name, make) => settings.get(name) ?? make(),
      setSetting: async (name, value) => settings.set(name, structuredClone(value)),
    }
    return await replaced({
      ...{ what: 'traces', client, tables: TABLES },
      fill: (age) => logDay(ours, store, Date.now() - age * DAY_MS),
      remove: (days) => ours.sweepTraces(opened.db, { maxAgeDays: days, maxBytes: 1e12 }),
      tidy: () => ours.rebuildIndexes(opened, kept, MIN_INDEX_BYTES),
    })
  } finally {
    await client.end()
    await opened.close()
  }
}

const words = (count) => Array.from({ length: count }, () => randomBytes(4).toString('hex')).join(' ')
const orderOf = (at, id) => `${new Date(at).toISOString().replace(/[-:.]/g, '').replace('Z', '000Z')}${id}`

/** Each run is posted at its start and patched at its end, as clients do. */
async function logDay(ours, store, at) {
  for (let first = 0; first < TRACES; first += BATCH) {
    const [posts, patches] = [new ours.IntakeRequest(), new ours.IntakeRequest()]
    for (let trace = first; trace < first + BATCH; trace += 1) addTrace(posts, patches, at + trace * 1000)
    await store.write(posts)
    await store.write(patches)
  }
}

function addTrace(posts, patches, began) {
  const root = randomUUID()
  const order = orderOf(began, root)
  for (let n = 0; n < RUNS; n += 1) {
    const id = n ? randomUUID() : root
    const own = n
      ? { dotted_order: `${order}.${orderOf(began + n, id)}`, parent_run_id: root }
      : { dotted_order: order }
    const started = { start_time: new Date(began + n).toISOString(), run_type: n ? 'llm' : 'chain', name: 'step' }
    const post = { ...own, ...started, id, trace_id: root, session_name: 'bench', inputs: { text: words(150) } }
    posts.addRun('post', post, [id])
    const end = { end_time: new Date(began + n + 900).toISOString(), outputs: { text: words(150) } }
    patches.addRun('patch', { ...own, ...end, trace_id: root }, [id], id)
  }
}

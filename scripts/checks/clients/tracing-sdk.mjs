// @ts-nocheck: its packages are installed when it runs.
// langsmith of JavaScript, reading and changing what it logged. Run by ../try-tracing-clients.mjs.
import { randomUUID } from 'node:crypto'
import { Client } from 'langsmith'
import { traceable } from 'langsmith/traceable'
import { report, until } from './report.mjs'

const NONE = 'not in this version'
const { TRACES_URL: apiUrl, TRACES_KEY: apiKey } = process.env
const client = new Client({ apiUrl, apiKey, callerOptions: { maxRetries: 0 } })
const projectName = `sdk-${randomUUID().slice(0, 8)}`
const warnings = []
for (const name of ['warn', 'error']) console[name] = (...args) => warnings.push(args.join(' '))
process.on('warning', (warning) => warnings.push(String(warning)))

const expect = (isTrue, what) => {
  if (!isTrue) throw new Error(what)
}
const all = async (listed) => {
  const found = []
  for await (const one of listed) found.push(one)
  return found
}
const runs = (props = {}) => all(client.listRuns({ projectName, ...props }))
const sentence = async (promise) => {
  const message = await promise.then(
    () => 'no error',
    (error) => error.message,
  )
  expect(/no public links/.test(message), message)
}

const inner = traceable(async (n) => ({ doubled: n * 2 }), {
  client,
  project_name: projectName,
  tracingEnabled: true,
  name: 'inner',
  run_type: 'tool',
})
const failing = traceable(async () => Promise.reject(new Error('not today')), {
  client,
  project_name: projectName,
  tracingEnabled: true,
  name: 'failing',
})
const outer = traceable(
  async (count) => {
    for (let n = 0; n < count; n++) await inner(n)
    await failing().catch(() => {})
    return 'done'
  },
  { client, project_name: projectName, tracingEnabled: true, name: 'outer', tags: ['one'], metadata: { team: 'a' } },
)
let root

await report({
  'Log runs': async () => {
    await outer(3)
    await client.awaitPendingTraceBatches()
    await until(async () => (await client.hasProject({ projectName })) && (await runs()).length === 5)
    ;[root] = await runs({ isRoot: true })
    expect(root.name === 'outer' && root.status === 'success', JSON.stringify(root))
  },
  'List runs by type, error, parent, trace and id': async () => {
    expect((await runs({ runType: 'tool' })).length === 3, 'by type')
    expect((await runs({ error: true })).length === 1, 'by error')
    expect((await runs({ parentRunId: root.id })).length === 4, 'by parent')
    expect((await runs({ traceId: root.trace_id, isRoot: false })).length === 4, 'by trace')
    expect((await all(client.listRuns({ id: [root.id] }))).length === 1, 'by id')
    expect((await runs({ startTime: new Date(Date.now() - 60_000) })).length === 5, 'by start')
  },
  'Filter language': async () => {
    const filter = 'and(eq(metadata_key, "team"), eq(metadata_value, "a"), has(tags, "one"), gte(latency, "0s"))'
    expect((await runs({ filter })).length === 1, 'by metadata')
    expect((await runs({ traceFilter: 'eq(name, "outer")' })).length === 5, 'by trace')
    const message = await runs({ filter: 'eq(colour, "red")' }).catch((error) => error.message)
    expect(/colour is not a field/.test(message), `${message}`)
  },
  'Page through 230 runs': async () => {
    const ids = Array.from({ length: 230 }, () => randomUUID())
    for (const id of ids)
      await client.createRun({ id, name: 'many', run_type: 'chain', inputs: {}, project_name: `${projectName}-many` })
    await client.awaitPendingTraceBatches()
    const many = () => all(client.listRuns({ projectName: `${projectName}-many`, limit: 220, select: ['id'] }))
    await until(async () => (await many()).length === 220)
  },
  'Read a run with its child runs': async () => {
    const run = await client.readRun(root.id, { loadChildRuns: true })
    expect(run.child_runs?.length === 4, `${run.child_runs?.length} child runs`)
    expect(run.inputs.input === 3 && run.outputs.outputs === 'done', JSON.stringify(run))
  },
  'Update a run': async () => {
    const id = randomUUID()
    await client.createRun({ id, name: 'later', run_type: 'llm', inputs: { a: 1 }, project_name: projectName })
    await client.updateRun(id, { outputs: { b: 2 }, end_time: Date.now() })
    await client.awaitPendingTraceBatches()
    await until(async () => (await client.readRun(id)).outputs?.b === 2)
  },
  'Read a project with statistics': async () => {
    const project = await client.readProject({ projectName, includeStats: true })
    expect(project.run_count === 2 && project.latency_p50 > 0, JSON.stringify(project))
  },
  'List projects': async () => {
    const listed = await all(client.listProjects({ nameContains: projectName }))
    expect(listed.length === 2, `${listed.length} projects`)
  },
  'Feedback: create, list, update, delete': async () => {
    const { id } = await client.createFeedback(root.id, 'helpful', { score: 0.5, sessionId: root.session_id })
    const listed = () => all(client.listFeedback({ runIds: [root.id], feedbackKeys: ['helpful'] }))
    await until(async () => (await listed()).length === 1)
    await client.updateFeedback(id, { score: 1, comment: 'better' })
    const changed = await client.readFeedback(id)
    expect(changed.score === 1 && changed.comment === 'better', JSON.stringify(changed))
    const filter = 'and(eq(feedback_key, "helpful"), gte(feedback_score, 0.9))'
    const [found] = await runs({ filter })
    expect(found?.feedback_stats?.helpful?.avg === 1, JSON.stringify(found?.feedback_stats))
    await client.deleteFeedback(id)
    expect((await listed()).length === 0, 'not deleted')
  },
  'Statistics of runs': async () => {
    const { id } = await client.readProject({ projectName })
    const stats = await client.getRunStats({ projectIds: [id], runType: 'tool' })
    expect(stats.run_count === 3, JSON.stringify(stats))
  },
  'Version 2: query and retrieve': async () => {
    if (!client.runs?.query) return NONE
    const asked = { project_ids: [root.session_id], selects: ['NAME', 'RUN_TYPE', 'INPUTS', 'IS_ROOT'], page_size: 2 }
    const found = await all(client.runs.query(asked))
    expect(found.length === 6 && found.some((one) => one.run_type === 'TOOL'), JSON.stringify(found))
    const run = await client.runs.retrieve(root.id, { project_id: root.session_id, selects: ['NAME', 'OUTPUTS'] })
    expect(run.name === 'outer' && run.outputs.outputs === 'done', JSON.stringify(run))
    return undefined
  },
  'Share links: refused with a sentence': async () => {
    expect((await client.readRunSharedLink(root.id)) === undefined, 'a link')
    await client.unshareRun(root.id)
    await sentence(client.shareRun(root.id))
  },
  'No warning about this server': () => {
    const found = warnings.filter((line) => /older than|parse backend|server info|Failed/i.test(line))
    expect(found.length === 0, found.join(' '))
  },
})

// node scripts/checks/try-templates.mjs FOLDER [--write] [--only NAME]: deploys every git clone in FOLDER on an
// embedded platform, starts a run of each graph and prints a table; --write puts it into
// docs/compatibility.md, which keeps the rows of clones that are not in FOLDER. Needs the npm registry;
// secrets are the names in .env.example, with values of this environment or placeholders.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '../bootstrap.mjs'
import { supervise } from '../launch/supervise.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { readSection, readTable, table, writeSection } from './clients/compatibility.mjs'

const { values, positionals } = parseArgs({
  options: /** @type {const} */ ({ write: { type: 'boolean' }, only: { type: 'string' } }),
  allowPositionals: true,
})
const [folder] = positionals
if (!folder) {
  console.error('Name the folder that has the clones: node scripts/checks/try-templates.mjs FOLDER')
  process.exit(2)
}
const PATIENCE_MS = 20 * 60_000
/** Longer than the retries of a provider's client that reaches no network. */
const RUN_MS = 240_000
/** Providers and tools that reject a placeholder, although the graph itself works. */
const NEEDS_KEY =
  /api[ _-]?key|apikey|unauthori[sz]ed|\b40[13]\b|authentication|credential|invalid token|access token|supabaseUrl|x-api-key/i
/** The line of a log that says what went wrong, which is seldom the last one. */
const REASON = /\berror\b|\bERR_\w+|invalid|cannot|needs|not found|couldn't/i
const NO_NETWORK = /fetch failed|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|connection error/i
/** Set by the platform, so a deployment cannot have them as secrets. */
const RESERVED = /^(LANGSMITH_|LANGCHAIN_|LANGGRAPH_|PORT$|PATH$|DATABASE_URI|POSTGRES_URI|REDIS_URI)/

const git = (place, ...args) => execFileSync('git', ['-C', place, ...args], { encoding: 'utf8' }).trim()
const jsonOf = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Every graph configuration in every clone. */
const subjects = readdirSync(path.resolve(folder))
  .sort()
  .filter((name) => (!values.only || name === values.only) && existsSync(path.join(folder, name, '.git')))
  .flatMap((name) => {
    const place = path.resolve(folder, name)
    return git(place, 'ls-files')
      .split('\n')
      .filter((file) => /(^|\/)(langgraph|graph)\.json$/.test(file) && jsonOf(path.join(place, file))?.graphs)
      .map((config) => ({ name, place, config }))
  })

if (!run(process.execPath, ['scripts/build-platform.mjs'])) process.exit(1)
const data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-templates-'))
const database = startTestDatabase()
const { add } = supervise({ onStop: () => rmSync(data, { recursive: true, force: true }) })
const env = { DATABASE_URL: await database.url, PILOTHOUSE_DATA: data, PILOTHOUSE_SAMPLES: 'false', PLATFORM_PORT: '0' }
const { ready } = await add('the platform', ['--enable-source-maps', '.build/platform.mjs'], { env, isKept: true })
  .first

async function ask(method, resource, body, ms = 60_000) {
  const response = await fetch(ready.url + resource, {
    method,
    headers: { 'x-api-key': ready.apiKey, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(ms),
  })
  const text = await response.text()
  /** @type {any} */
  let json
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { ok: response.ok, status: response.status, json, text }
}
const [integration] = (await ask('GET', '/v1/integrations/github/install')).json

/** The names in an example env file, next to the configuration or at the root. */
function secretsOf({ place, config }) {
  const folders = [path.join(place, path.dirname(config)), place]
  const files = folders.flatMap((one) =>
    ['.env.example', '.env.template', '.env.sample'].map((name) => path.join(one, name)),
  )
  const found = files.find((file) => existsSync(file))
  const lines = found ? readFileSync(found, 'utf8').matchAll(/^[#\s]*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/gm) : []
  const values = new Map([...lines].map(([, name, value]) => [name, process.env[name] ?? exampleValue(name, value)]))
  return [...values].filter(([name]) => !RESERVED.test(name)).map(([name, value]) => ({ name, value }))
}

/** The example's own value where it has one. */
function exampleValue(name, text) {
  const value = text.replace(/\s#.*$/, '').replace(/^\s*["']?|["']?\s*$/g, '')
  return value || (/_URL$|_ENDPOINT$/.test(name) ? 'https://placeholder.example' : 'placeholder-of-try-templates')
}

async function logOf(deployment, revision, type) {
  const { json } = await ask('GET', `/v2/deployments/${deployment}/revisions/${revision}/logs?type=${type}&limit=1000`)
  return /** @type {{ level: string, message: string }[]} */ (json?.logs ?? [])
}

/** Reads a graph's schemas and starts one run; returns the outcome. */
async function tryGraph(agent, graph) {
  const { json: schemas } = await ask('GET', `${agent}/assistants/${graph}/schemas`)
  const fields = Object.keys(schemas?.input_schema?.properties ?? {})
  const input = !fields.length || fields.includes('messages') ? { messages: [{ role: 'human', content: 'Hello' }] } : {}
  const { json: thread } = await ask('POST', `${agent}/threads`, {})
  const response = await ask(
    'POST',
    `${agent}/threads/${thread.thread_id}/runs/wait`,
    { assistant_id: graph, input },
    RUN_MS,
  ).catch((error) => ({ ok: false, json: undefined, text: `no response: ${error.message}` }))
  const error = response.json?.__error__
  const reason = error ? `${error.error}: ${error.message}` : response.ok ? '' : response.text
  const short = reason.replace(/\s+/g, ' ').slice(0, 140)
  const outcome = !reason
    ? response.json?.__interrupt__
      ? 'interrupted'
      : 'success'
    : NEEDS_KEY.test(reason)
      ? 'needs a key'
      : NO_NETWORK.test(reason)
        ? 'needs a service'
        : 'failed'
  return { graph, hasSchemas: schemas?.state_schema != null, outcome, short }
}

async function tryOne(subject, index) {
  const { name, place, config } = subject
  const branch = git(place, 'symbolic-ref', '--short', 'HEAD')
  const row = {
    repository: name,
    config,
    date: git(place, 'log', '-1', '--format=%cs'),
    tried: new Date().toISOString().slice(0, 10),
    status: '',
    install: '',
    runtime: '',
    graphs: '',
    run: '',
    notes: '',
  }
  const created = await ask('POST', '/v2/deployments', {
    name: `template-${index}`,
    source: 'github',
    source_config: { integration_id: integration.id, repo_url: place, deployment_type: 'dev', build_on_push: false },
    source_revision_config: { repo_ref: branch, graph_config_path: config },
    secrets: secretsOf(subject),
  })
  if (!created.ok) return { ...row, status: 'REFUSED', notes: created.text.slice(0, 200) }
  const { id, latest_revision_id: revision } = created.json
  try {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
      row.status = (await ask('GET', `/v2/deployments/${id}/revisions/${revision}`)).json.status
      if (/FAILED|DEPLOYED|INTERRUPTED/.test(row.status)) break
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    const build = await logOf(id, revision, 'build')
    const deploy = await logOf(id, revision, 'deploy')
    const [, command = ''] =
      build.map((line) => /^Running the install command.*?: (\S+ \S+)/.exec(line.message)).find(Boolean) ?? []
    row.install = command
    const packages = path.join(data, 'builds', id, revision)
    const manifest = [path.dirname(config), '.']
      .map((one) => jsonOf(path.join(packages, one, 'node_modules/@langchain/langgraph/package.json')))
      .find(Boolean)
    row.runtime = manifest?.version ?? ''
    if (row.status !== 'DEPLOYED') {
      const lines = (row.status === 'BUILD_FAILED' ? build : deploy).map((line) => line.message)
      console.error(`--- ${name} ${config}: ${row.status}\n${lines.slice(-40).join('\n')}\n---`)
      const reason = lines.findLast((line) => REASON.test(line) && !/^\s+at /.test(line)) ?? lines.at(-1) ?? ''
      return {
        ...row,
        notes: reason
          .trim()
          .replace(/https?:\/\/[^/\s]+/g, '…')
          .slice(0, 200),
      }
    }
    const agent = `/agents/${id}`
    const listed = (await ask('POST', `${agent}/assistants/search`, { limit: 100 })).json
    const graphs = listed.map((one) => one.graph_id)
    const results = []
    for (const graph of graphs) results.push(await tryGraph(agent, graph))
    row.graphs = `${graphs.length}`
    row.run = [...new Set(results.map((one) => one.outcome))].join(', ')
    row.notes = [...new Set(results.map((one) => one.short).filter(Boolean))].join(' · ').slice(0, 300)
    return { ...row, schemas: `${results.filter((one) => one.hasSchemas).length}/${graphs.length}` }
  } finally {
    await ask('DELETE', `/v2/deployments/${id}`)
  }
}

const rows = []
const waiting = [...subjects.entries()]
const work = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [index, subject] = next
    const row = await tryOne(subject, index).catch((error) => ({
      repository: subject.name,
      config: subject.config,
      status: 'ERROR',
      notes: String(error.message).slice(0, 200),
    }))
    rows[index] = row
    console.log(JSON.stringify(row))
  }
}
await Promise.all([work(), work()])
console.table(rows)
const COLUMNS = ['repository', 'config', 'date', 'tried', 'install', 'runtime', 'status', 'graphs', 'run', 'notes']
if (values.write) writeSection('repositories', table(COLUMNS, withOthers()))
process.exit(0)

/** The rows of this run and those of earlier ones for configurations that were not tried, in the order of the names. */
function withOthers() {
  const keyOf = ({ repository, config }) => `${repository} ${config}`
  const own = new Set(rows.map(keyOf))
  const others = readTable(readSection('repositories')).filter((row) => !own.has(keyOf(row)))
  return [...rows, ...others].sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
}

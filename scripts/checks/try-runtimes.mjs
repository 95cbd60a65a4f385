// node scripts/checks/try-runtimes.mjs [--write] [VERSION...]: which versions of the graph runtime the agent server supports
// (default: the newest of every minor, and several of 0.2); needs the npm registry. Runs the same graph on each: two
// turns, state, history, an update, an interrupt and its answer, a stream.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnv, root, run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { table, writeSection } from './clients/compatibility.mjs'

const PACKAGE = '@langchain/langgraph'
const GRAPH = `
import * as runtime from '@langchain/langgraph'
const { Annotation, StateGraph, START, END } = runtime
const State = Annotation.Root({
  said: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
  answer: Annotation(),
})
export const graph = new StateGraph(State)
  .addNode('first', (state) => ({ said: ['first ' + state.said.length] }))
  .addNode('second', () => ({ said: ['second'] }))
  .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', END)
  .compile()
export const asking = new StateGraph(State)
  .addNode('ask', () => ({ answer: runtime.interrupt ? runtime.interrupt({ question: 'go on?' }) : 'no interrupts' }))
  .addEdge(START, 'ask').addEdge('ask', END)
  .compile()
`

/** @type {(a: string, b: string) => number} */
const compare = (a, b) => a.localeCompare(b, 'en', { numeric: true })
function allVersions() {
  const text = execFileSync('npm', ['view', PACKAGE, 'versions', '--json'], { encoding: 'utf8' })
  const stable = /** @type {string[]} */ (JSON.parse(text)).filter((version) => /^[\d.]+$/.test(version)).sort(compare)
  const newest = new Map(stable.map((version) => [version.split('.').slice(0, 2).join('.'), version]))
  const old = stable.filter((version) => /^0\.2\.(\d*[05]|57)$/.test(version))
  return [...new Set([...old, ...newest.values()])].filter((version) => compare(version, '0.2.0') >= 0).sort(compare)
}

const versions = process.argv.slice(2).filter((word) => word !== '--write')
if (!run(process.execPath, ['scripts/build-platform.mjs'])) process.exit(1)
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-runtimes-'))
const database = startTestDatabase()
const databaseUrl = await database.url

async function tryVersion(version) {
  const place = path.join(folder, version)
  mkdirSync(place)
  writeFileSync(path.join(place, 'graph.json'), '{"graphs":{"main":"./graph.mjs:graph","asking":"./graph.mjs:asking"}}')
  writeFileSync(path.join(place, 'graph.mjs'), GRAPH)
  writeFileSync(path.join(place, 'package.json'), '{"type":"module"}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `${PACKAGE}@${version}`], {
    cwd: place,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: cleanEnv(),
  })
  const child = fork(path.join(root, '.build/agent-server.mjs'), {
    cwd: place,
    env: cleanEnv({
      PILOTHOUSE_AGENT_DATABASE_URL: databaseUrl,
      PILOTHOUSE_AGENT_SCHEMA: `runtime_${version.replaceAll(/\W/g, '_')}`,
      PILOTHOUSE_AGENT_CONFIG: path.join(place, 'graph.json'),
      PILOTHOUSE_AGENT_OWNER: 'try-runtimes',
    }),
    silent: true,
  })
  try {
    const [message] = await once(child, 'message')
    if (!message.ready) return message.failed.message
    return await journey(`http://127.0.0.1:${message.ready.port}`)
  } finally {
    child.kill()
    await once(child, 'exit')
    rmSync(place, { recursive: true, force: true })
  }
}

/** Returns the first unexpected result. */
async function journey(url) {
  const ask = async (method, resource, body) => {
    const response = await fetch(url + resource, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${resource}: ${response.status} ${text.slice(0, 200)}`)
    return text
  }
  const json = async (/** @type {[string, string, object?]} */ ...request) => JSON.parse(await ask(...request))
  const expect = (what, actual, wanted) => {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(wanted)]
    if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`)
  }
  try {
    const { thread_id: thread } = await json('POST', '/threads', {})
    const once = ['first 0', 'second']
    const wait = (assistant_id, more) => json('POST', `/threads/${thread}/runs/wait`, { assistant_id, ...more })
    expect('the first turn', (await wait('main', { input: { said: [] } })).said, once)
    const twice = [...once, 'first 2', 'second']
    const stream = await ask('POST', `/threads/${thread}/runs/stream`, {
      assistant_id: 'main',
      input: { said: [] },
      stream_mode: ['values', 'updates', 'messages-tuple', 'custom'],
    })
    expect('the streamed values', stream.includes(JSON.stringify(twice)), true)
    expect('the streamed update', /event: updates\r?\ndata: \{"second":\{"said":\["second"\]\}\}/.test(stream), true)
    const state = await json('GET', `/threads/${thread}/state`)
    expect('the state', [state.values.said, state.next], [twice, []])
    expect('the history', (await json('GET', `/threads/${thread}/history`)).length, 8)
    await ask('POST', `/threads/${thread}/state`, { values: { said: ['by hand'] }, as_node: 'second' })
    expect('the update', (await json('GET', `/threads/${thread}/state`)).values.said, [...twice, 'by hand'])
    expect('the drawing', (await json('GET', '/assistants/main/graph')).nodes.length, 4)
    await ask('GET', '/assistants/main/schemas')
    await ask('GET', '/assistants/main/subgraphs')
    const before = await json('POST', '/runs/wait', {
      assistant_id: 'main',
      input: { said: [] },
      interrupt_before: ['second'],
    })
    expect('a stop before a node', before.said, ['first 0'])

    const asked = await json('POST', '/threads', {})
    const again = (more) => json('POST', `/threads/${asked.thread_id}/runs/wait`, { assistant_id: 'asking', ...more })
    const first = await again({ input: { said: ['x'] } })
    if (first.answer === 'no interrupts') return 'drives it; it has no interrupt()'
    const { status, interrupts } = await json('GET', `/threads/${asked.thread_id}`)
    expect(
      'the interrupt',
      [
        status,
        Object.values(interrupts)
          .flat()
          .map((one) => one.value),
      ],
      ['interrupted', [{ question: 'go on?' }]],
    )
    expect('the answer', (await again({ command: { resume: 'yes' } })).answer, 'yes')
    return 'drives it'
  } catch (error) {
    return error.message
  }
}

let failures = 0
/** @type {{ version: string, outcome: string }[]} */
const rows = []
for (const version of versions.length ? versions : allVersions()) {
  const outcome = await tryVersion(version).catch((error) => error.message)
  if (!outcome.startsWith('drives')) failures += 1
  rows.push({ version, outcome: outcome.slice(0, 300) })
  console.log(`${version.padEnd(8)} ${outcome.replaceAll(/\s+/g, ' ').slice(0, 300)}`)
}
if (process.argv.includes('--write')) writeSection('runtimes', table(['version', 'outcome'], rows))
await sleep(0)
await database.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(failures ? 1 : 0)

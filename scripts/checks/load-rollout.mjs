// node scripts/checks/load-rollout.mjs [ROLLOUTS] [--rate 200] [--streams 20]: steady requests and open streams on one
// deployment with real agent servers, while it is rolled out repeatedly. Prints failures, lost and repeated events, and
// durations; exits with 1 if there are any.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { processesOf } from '../../platform/testing/chaos-checks.mjs'
import { createCaller } from '../../platform/testing/chaos-journey.mjs'
import { startLoad } from '../../platform/testing/load.mjs'
import { startProgram } from '../../platform/testing/program.mjs'
import { tickerFiles } from '../../platform/testing/ticker.mjs'
import { run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'

const options = /** @type {const} */ ({
  rate: { type: 'string', default: '200' },
  streams: { type: 'string', default: '20' },
})
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const rollouts = Number(positionals[0] ?? 5)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

run(process.execPath, ['scripts/build-platform.mjs'])
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-load-'))
const mark = path.join(folder, 'tmp')
const repository = path.join(folder, 'ticker')
for (const one of [mark, repository]) mkdirSync(one)
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], { cwd: repository })
const commit = (note) => {
  for (const [name, text] of Object.entries(tickerFiles(note))) writeFileSync(path.join(repository, name), text)
  git('add', '--all')
  git('commit', '--quiet', `--message=${note}`)
}
git('init', '--quiet', '--initial-branch=main')
commit('first')

const server = startTestDatabase()
const program = await startProgram({
  dataDir: path.join(folder, 'data'),
  databaseUrl: await server.url,
  settings: { LC_MARK: mark, TMPDIR: mark },
})
const call = createCaller(program.ready)
/** Creates a revision; returns the milliseconds until it serves. */
async function deployed(make, known) {
  const began = performance.now()
  const { status, body } = await make()
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  const [deployment, revision] = [known ?? body.id, known ? body.id : body.latest_revision_id]
  for (;;) {
    const { body: now } = await call('GET', `/v2/deployments/${deployment}/revisions/${revision}`)
    if (now.status === 'DEPLOYED') return { id: deployment, ms: Math.round(performance.now() - began) }
    if (/FAILED/.test(now.status)) throw new Error(`${now.status}`)
    await pause(10)
  }
}
const [listed] = (await call('GET', '/v1/integrations/github/install')).body
const create = (name) =>
  call('POST', '/v2/deployments', {
    name,
    source: 'github',
    source_config: { integration_id: listed.id, repo_url: repository, deployment_type: 'dev', build_on_push: false },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: [],
  })
const rss = () =>
  processesOf(mark)
    .filter(({ kind }) => kind === 'platform' || kind === 'agent')
    .map(({ pid, kind }) => {
      const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      return `${kind} ${Math.round(Number(kb) / 1024)} MB`
    })

/** CPU milliseconds by kind of process since it was created, including ended ones. */
function meter() {
  const [ticks, kinds, before] = [new Map(), new Map(), new Map()]
  const look = () => {
    const all = [...processesOf(mark), { pid: process.pid, kind: 'load' }]
    for (const { pid, kind } of all) {
      try {
        // After the name, which may contain blanks: the process's user and system time.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
        ticks.set(pid, Number(fields[11]) + Number(fields[12]))
        kinds.set(pid, kind)
      } catch {
        // ended in the meantime
      }
    }
  }
  look()
  for (const [pid, count] of ticks) before.set(pid, count)
  const timer = setInterval(look, 500)
  return () => {
    clearInterval(timer)
    look()
    const sums = {}
    for (const [pid, count] of ticks)
      sums[kinds.get(pid)] = (sums[kinds.get(pid)] ?? 0) + (count - (before.get(pid) ?? 0)) * 10
    return sums
  }
}

const first = await deployed(() => create('first'))
const revise = () => call('POST', `/v2/deployments/${first.id}/revisions`, {})
const again = await deployed(revise, first.id)
console.log(JSON.stringify({ post_to_deployed_ms: { cold: first.ms, again: again.ms }, idle: rss() }))
const load = startLoad({
  base: `${program.ready.url}/agents/${first.id}`,
  apiKey: program.ready.apiKey,
  rate: Number(values.rate),
  streams: Number(values.streams),
})
const measured = meter()
const took = []
for (let number = 1; number <= rollouts; number += 1) {
  await pause(3000)
  commit(`roll-out ${number}`)
  const { ms } = await deployed(revise, first.id)
  took.push(ms)
}
await pause(3000)
const underLoad = rss()
const figures = await load.stop()
const cpuMs = measured()
const switched = Object.keys(load.revisions).length
console.log(
  JSON.stringify({ rollouts, switched, rollout_under_load_ms: took, ...figures, cpu_ms: cpuMs, rss: underLoad }),
)
program.child.kill('SIGTERM')
await program.ended
await server.stop()
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
process.exitCode = figures.failures.length > 0 || switched < rollouts + 1 ? 1 : 0

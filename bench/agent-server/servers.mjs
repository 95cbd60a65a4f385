// Both agent servers as processes on the same graphs, each with its own empty store.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cleanEnv, root } from '../../scripts/bootstrap.mjs'

const rival = path.join(root, 'bench/rivals/langgraph-api')
const graphs = path.join(import.meta.dirname, 'graphs')

/** Ours, on its own schema. Returns `{ url, pid, stop() }`. */
export function startOurs(folder, databaseUrl) {
  const names = readdirSync(graphs).map((file) => path.basename(file, '.mjs'))
  const config = path.join(mkdtempSync(path.join(folder, 'ours-')), 'graph.json')
  writeFileSync(
    config,
    JSON.stringify({ graphs: Object.fromEntries(names.map((name) => [name, `${graphs}/${name}.mjs:graph`])) }),
  )
  return start(path.join(root, '.build/agent-server.mjs'), [], {
    PILOTHOUSE_AGENT_DATABASE_URL: databaseUrl,
    PILOTHOUSE_AGENT_SCHEMA: `bench_${randomBytes(6).toString('hex')}`,
    PILOTHOUSE_AGENT_CONFIG: config,
    PILOTHOUSE_AGENT_OWNER: 'bench',
  })
}

/** The bare npm server; its graphs use its own packages. */
export function startRival(folder, workers = 10) {
  const home = mkdtempSync(path.join(folder, 'rival-'))
  cpSync(graphs, path.join(home, 'graphs'), { recursive: true })
  symlinkSync(path.join(rival, 'node_modules'), path.join(home, 'node_modules'))
  mkdirSync(path.join(home, 'data'))
  return start(path.join(rival, 'serve.mjs'), [path.join(home, 'data'), path.join(home, 'graphs')], {
    N_WORKERS: String(workers),
    LOG_LEVEL: 'error',
    LANGGRAPH_CLI_NO_ANALYTICS: '1',
  })
}

async function start(program, args, env) {
  const began = performance.now()
  const child = fork(program, args, { cwd: root, env: cleanEnv(env), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const said = once(child, 'message').then(([message]) => message)
  const failed = ended.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}.`)))
  failed.catch(() => {})
  const { ready } = await Promise.race([said, failed])
  return {
    url: `http://127.0.0.1:${ready.port}`,
    pid: child.pid,
    startMs: performance.now() - began,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

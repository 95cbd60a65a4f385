// Our agent server as the platform runs it: deployed from a repository, behind the gateway, logging its traces.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPlatform } from '../platform.mjs'

const graphs = path.join(import.meta.dirname, 'graphs')

/** Gives `{ url, headers, pid, stop() }`; `pid` is the platform's, whose children the agent servers are. */
export async function startDeployed(folder, databaseUrl) {
  const home = mkdtempSync(path.join(folder, 'deployed-'))
  const repository = path.join(home, 'graphs')
  cpSync(graphs, repository, { recursive: true })
  const names = readdirSync(graphs).map((file) => path.basename(file, '.mjs'))
  const files = Object.fromEntries(names.map((name) => [name, `./${name}.mjs:graph`]))
  writeFileSync(path.join(repository, 'graph.json'), JSON.stringify({ graphs: files }))
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], { cwd: repository })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message=graphs')
  mkdirSync(path.join(home, 'data'), { mode: 0o700 })
  const platform = await startPlatform(path.join(home, 'data'), databaseUrl)
  const headers = { 'x-api-key': platform.apiKey }
  const call = async (method, at, body) => {
    const init = { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await fetch(platform.url + at, init)
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`)
    return await response.json()
  }
  const [{ id: integration }] = await call('GET', '/v1/integrations/github/install')
  const { id, latest_revision_id: revision } = await call('POST', '/v2/deployments', {
    name: 'bench',
    source: 'github',
    source_config: {
      integration_id: integration,
      repo_url: repository,
      deployment_type: 'dev',
      build_on_push: false,
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: [],
  })
  for (;;) {
    const { status } = await call('GET', `/v2/deployments/${id}/revisions/${revision}`)
    if (status === 'DEPLOYED') break
    if (/FAILED/.test(status)) throw new Error(`The bench's graphs could not be deployed: ${status}.`)
    await sleep(100)
  }
  return { url: `${platform.url}/agents/${id}`, headers, pid: platform.pid, stop: platform.stop }
}

/** Memory of a process and all below it in MB; what they share is counted once. */
export function treeMb(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  let own = 0
  try {
    own = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
  } catch {
    // it has ended
  }
  return children.reduce((sum, child) => sum + treeMb(Number(child)), own)
}

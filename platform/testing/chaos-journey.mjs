// A team's work with its deployments while the platform is killed: random steps at random moments. It remembers the
// responses, so that they can be checked afterwards.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const INTEGRATION_ID = '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001'
const CONCURRENCY = 3

/** Pseudo-random numbers from 0 to 1, reproducible by seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** No response: it may have happened, or not. */
class NoResponse extends Error {}

export function createCaller({ url, apiKey }) {
  return async (method, resource, body) => {
    let response
    let text
    try {
      response = await fetch(url + resource, {
        method,
        headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      })
      text = await response.text()
    } catch (error) {
      throw new NoResponse(`${method} ${resource}: ${error.cause?.message ?? error.message}`)
    }
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** @param {{ folder: string, random: () => number, files: (note: string) => Record<string, string> }} options */
export function createJourney({ folder, random, files }) {
  /** Deployments by name. `made`: acknowledged revisions; `maybe`: those without a response; `pushes`: commits. */
  const deployments = new Map()
  const counts = {}
  const problems = []
  let number = 0
  let note = 0

  const pick = (list) => list[Math.floor(random() * list.length)]
  const git = (cwd, ...args) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], { cwd, stdio: 'pipe' })
  function commit(one, more = {}) {
    note += 1
    // A slow build can be killed, interrupted and overtaken.
    const delay = Math.floor(random() * 600)
    const install = `console.log('installing'); setTimeout(() => {}, ${delay})`
    for (const [name, text] of Object.entries({ ...files(`note ${note}`), 'install.mjs': install, ...more }))
      writeFileSync(path.join(one.repository, name), text)
    git(one.repository, 'add', '--all')
    git(one.repository, 'commit', '--quiet', '--allow-empty', `--message=${note}`)
    one.pushes += 1
  }
  /** A request that creates a revision. */
  async function making(one, work) {
    one.maybe += 1
    const { status, body } = await work()
    one.maybe -= 1
    if (status >= 300) return { status, body }
    one.made.add(body.latest_revision_id ?? body.id)
    return { status, body }
  }
  const latest = async (call, one) => {
    const { body } = await call('GET', `/v2/deployments/${one.id}/revisions?limit=5`)
    return body.resources ?? []
  }

  const steps = {
    async create(call) {
      number += 1
      const name = `d${number}`
      const repository = path.join(folder, name)
      mkdirSync(repository)
      const one = { name, repository, made: new Set(), maybe: 0, pushes: 0, isDeleted: false, id: undefined }
      git(repository, 'init', '--quiet', '--initial-branch=main')
      commit(one)
      one.pushes = 0 // the first commit exists before anything tracks the branch
      deployments.set(name, one)
      const { status, body } = await making(one, () =>
        call('POST', '/v2/deployments', {
          name,
          source: 'github',
          source_config: {
            integration_id: INTEGRATION_ID,
            repo_url: repository,
            deployment_type: 'dev',
            build_on_push: true,
            install_command: 'node install.mjs',
          },
          source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
          secrets: [],
        }),
      )
      if (status === 201) one.id = body.id
      else problems.push(`create responded with ${status} ${JSON.stringify(body)}`)
    },
    push: async (_call, one) => commit(one),
    pushBroken: async (_call, one) => commit(one, { 'graph.json': '{' }),
    secret: (call, one) =>
      making(one, () =>
        call('PATCH', `/v2/deployments/${one.id}`, { secrets: [{ name: 'GREETING', value: `hi ${note}` }] }),
      ),
    revision: (call, one) => making(one, () => call('POST', `/v2/deployments/${one.id}/revisions`, {})),
    async redeploy(call, one) {
      const found = (await latest(call, one)).find(({ status }) => ['DEPLOYED', 'INTERRUPTED'].includes(status))
      if (found) await call('POST', `/v2/deployments/${one.id}/revisions/${found.id}/redeploy`)
    },
    async interrupt(call, one) {
      const [found] = await latest(call, one)
      if (found) await call('POST', `/v2/deployments/${one.id}/revisions/${found.id}/interrupt`)
    },
    async remove(call, one) {
      one.isDeleted = 'maybe'
      const { status } = await call('DELETE', `/v2/deployments/${one.id}`)
      if (status === 204) one.isDeleted = true
    },
  }
  const ORDER = ['push', 'secret', 'redeploy', 'interrupt', 'pushBroken', 'revision', 'push', 'interrupt', 'secret']

  /** Continues until there is no response any more. Rejects only for errors that a kill cannot cause. */
  async function walk(ready, isOver) {
    const call = createCaller(ready)
    while (!isOver()) {
      const alive = [...deployments.values()].filter((one) => one.id && !one.isDeleted)
      const one = pick(alive)
      const isFull = alive.length >= CONCURRENCY
      const name = !one || (!isFull && random() < 0.3) ? 'create' : isFull && random() < 0.06 ? 'remove' : pick(ORDER)
      try {
        await steps[name](call, one)
        counts[name] = (counts[name] ?? 0) + 1
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error
        return
      }
      await pause(random() < 0.5 ? random() * 60 : random() * 900)
    }
  }

  return { deployments, counts, problems, walk }
}

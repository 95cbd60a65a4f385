// One release of Pilothouse, built in a folder: its platform, and its consoles with somebody who uses them.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { startConsole } from '../../../bench/live/console.mjs'
import { startProgram } from '../../../platform/testing/program.mjs'
import { root, run } from '../../bootstrap.mjs'
import { loadSources } from '../load-sources.mjs'
import { followerOf } from '../scripted-console.mjs'

const WORKSPACE = 'local'
const LIVE = ["export { LiveClient } from './lib/live/client'", "export { LIVE_WAITS } from './lib/live/environment'"]
const PATIENCE_MS = 180_000
/** Pages of the workspace, and of a deployment. The first of each has no name. */
const PAGES = ' deployments runs threads inbox traces alerts experiments audit members'.split(' ')
const SETTINGS =
  'settings settings/listeners settings/retention settings/prices settings/tokens settings/sharing'.split(' ')
const OF_DEPLOYMENT = ' revisions threads runs traces assistants crons logs settings/secrets'.split(' ')

/** The newest release tag before the checked out commit, if there is one. */
export function previousTag(folder = root) {
  const args = ['--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort', '-version:refname']
  const { stdout } = spawnSync('git', ['-c', 'versionsort.suffix=-', 'tag', ...args], { cwd: folder, encoding: 'utf8' })
  return stdout.split('\n').find(Boolean)
}

const BUILD = `import(process.argv[1]).then((it) => {
  it.ensureDependencies()
  it.ensurePlatform()
  it.ensureBuild()
})`

/** Installs and builds a release in an empty folder, or in one where it was built before. */
export function build(ref, folder) {
  const isBuilt =
    (existsSync(path.join(folder, '.git')) || run('git', ['clone', '--quiet', root, folder])) &&
    run('git', ['-C', folder, 'checkout', '--quiet', '--detach', ref]) &&
    run(process.execPath, ['-e', BUILD, path.join(folder, 'scripts/bootstrap.mjs')], { cwd: folder })
  if (!isBuilt) throw new Error(`${ref} could not be built. See above.`)
}

/** Whether a line of a log tells that the program failed, or that it and the tables do not fit. */
export const isFault = (line) =>
  /"level":"error"|(relation|column|function|table|constraint) .*does not exist|violates .*constraint|\b(42P01|42703|42883|23502)\b/.test(
    line,
  )

/** Waits for what another program does. */
export async function until(isTrue, what) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) if (await isTrue()) return
  throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`)
}

/**
 * The programs of the release in `folder`, over the database and the data folder of `stage`, where all releases share the
 * API's token, the deployment and the problems.
 * @param {string} name
 * @param {string} folder
 * @param {any} stage
 */
export async function releaseIn(name, folder, stage) {
  const sources = await loadSources('release', LIVE, folder)
  const complain = (what) => stage.problems.add(name, what)
  const watch = (who) => (line) => isFault(line) && complain(`${who} logged ${line.slice(0, 1000)}`)

  async function startPlatform() {
    const { dataDir, databaseUrl } = stage
    const settings = { PILOTHOUSE_SAMPLES: 'true' }
    const program = await startProgram({ folder, dataDir, databaseUrl, stdio: 'pipe', settings })
    const { child, ready, ended } = program
    for (const input of [child.stdout, child.stderr])
      if (input) createInterface({ input }).on('line', watch('the platform'))
    const stop = async () => {
      stage.running.delete(stop)
      child.kill('SIGTERM')
      if ((await ended) !== 0) complain('the platform did not end cleanly')
    }
    stage.running.add(stop)
    return { ...ready, stop }
  }

  async function open(platform) {
    const env = {
      ...stage.secrets,
      DATABASE_URL: stage.databaseUrl,
      PILOTHOUSE_WORKSPACE_KIND: 'embedded',
      CONTROL_PLANE_API_KEY: platform.apiKey,
    }
    const own = await startConsole(platform, env, undefined, { folder, onLine: watch('the console') })

    async function ask(where, init, fetch_ = (url, init) => own.cookies.fetch(url, init)) {
      const response = await fetch_(own.url + where, init)
      const text = await response.text()
      if (response.status >= 500) complain(`${where} was answered with ${response.status}: ${text.slice(0, 300)}`)
      return { status: response.status, text }
    }
    /** A request to the HTTP API, whose answer has to be a success. */
    async function api(method, where, body) {
      const headers = { authorization: `Bearer ${stage.token}`, ...(body && { 'content-type': 'application/json' }) }
      const { status, text } = await ask(
        `/api/v1${where}`,
        { method, headers, body: body && JSON.stringify(body) },
        fetch,
      )
      if (status !== 200)
        throw new Error(`${name}: ${method} ${where} was answered with ${status}: ${text.slice(0, 300)}`)
      return text
    }
    const read = async (where) => JSON.parse(await api('GET', where))
    const { act } = own
    const follow = followerOf(sources, () => (self.next ?? self).own, WORKSPACE)

    const self = {
      name,
      own,
      read,
      /** Where the pages of this console connect to after its end. */
      next: undefined,
      end: async () => {
        stage.running.delete(self.end)
        await own.end()
      },
      createToken: async () => {
        const given = { workspace: WORKSPACE, name, kind: 'service', role: 'admin', deployments: null, days: 30 }
        return (await act('lib/actions/api-tokens.ts', 'createToken', given)).token
      },
      keepFor: (days) =>
        act('lib/actions/retention.ts', 'saveRetention', { workspace: WORKSPACE, days, maxBytes: null }),
      visit: async () => {
        const ofDeployment = OF_DEPLOYMENT.map((page) => `deployments/${stage.deployment}/${page}`)
        for (const page of [...PAGES, ...SETTINGS, ...ofDeployment]) {
          const { status } = await ask(`/${WORKSPACE}/${page}`.replace(/\/$/, ''))
          // An earlier release may not have all of them.
          if (status !== 200 && folder === root) complain(`the page ${page} was answered with ${status}`)
        }
      },
      /** Starts a run like the page. */
      start: (graph, text, delay_ms = 5) =>
        act('lib/actions/runs.ts', 'startRun', {
          workspace: WORKSPACE,
          deploymentId: stage.deployment,
          thread: { kind: 'new' },
          body: {
            assistant_id: graph,
            input: { messages: [{ role: 'user', content: text }] },
            context: { delay_ms },
            ...{ stream_mode: ['messages-tuple', 'values'], stream_resumable: true },
          },
        }),
      answer: async (thread) => {
        const { text } = await ask(`/api/inbox/${WORKSPACE}/${stage.deployment}/${thread}`)
        const answers = JSON.parse(text).questions.map(({ id, value }) => ({ id, asked: value, answer: 'approve' }))
        const place = { workspace: WORKSPACE, deploymentId: stage.deployment, thread }
        const given = { place, answers: JSON.stringify(answers), key: `answer-${thread}` }
        return await act('lib/actions/inbox.ts', 'answerThread', given)
      },
      setGreeting: async (value) => {
        const set = { GREETING: value }
        const { revision_id } = JSON.parse(await api('PATCH', `/deployments/${stage.deployment}/secrets`, { set }))
        const isActive = async () =>
          (await read(`/deployments/${stage.deployment}`)).active_revision?.id === revision_id
        await until(isActive, `${name}: the revision with a changed secret`)
      },
      /** A page that shows a run live: its entries as lines, so far or at the end of the run. */
      watch: (recording) => {
        let lines = []
        let isOver = false
        const close = follow(recording, (entries) => {
          if (entries.at(0)?.seq === 1) lines = []
          for (const one of entries) lines.push(JSON.stringify(one))
          // Without entries it tells a change of the phase.
          if (entries.length > 0) isOver = entries.at(-1).kind === 'final'
        })
        const toItsEnd = async () => {
          await until(async () => isOver, `${name}: the page of a run shows its end`).finally(close)
          return lines
        }
        return { has: (count) => lines.length >= count, toItsEnd }
      },
      /** The entries of a recording, a line each, as its file has them. */
      linesOf: async (recording) => (await api('GET', `/recordings/${recording}/events`)).split('\n').slice(1, -2),
      isThere: async (recording) => {
        const headers = { authorization: `Bearer ${stage.token}` }
        return (await ask(`/api/v1/recordings/${recording}`, { headers }, fetch)).status !== 404
      },
      /** The page of a recorded run. */
      openRun: (recording) => ask(`/${WORKSPACE}/deployments/${stage.deployment}/runs/${recording}`),
    }
    stage.running.add(self.end)
    return self
  }
  return { name, startPlatform, open }
}

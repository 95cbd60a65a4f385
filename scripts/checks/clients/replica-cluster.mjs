// Several agent servers of one deployment as separate processes, and a client that uses all of them.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnv, root } from '../../bootstrap.mjs'
import { createReplicaClient } from './replica-client.mjs'

let started = 0

/**
 * Where a replica runs: `command` starts its program there, `onStarted` gives the address under which others reach it.
 * @typedef {{ databaseUrl: string | undefined, host?: string, command?: string[], onStarted?: (url: string) => string, release?: () => void }} Place
 */

/** @param {{ place: () => Place, schema: string, program?: string, hangSeconds?: number }} options */
async function startReplica({ place, schema, program = '.build/agent-server.mjs', hangSeconds }) {
  started += 1
  const owner = `replica-${started}`
  const { databaseUrl, host = '127.0.0.1', command = [], onStarted = (url) => url, release = () => {} } = place()
  const [execPath = process.execPath, ...execArgv] = [...command, process.execPath]
  const child = fork(path.join(root, program), {
    execPath,
    execArgv,
    env: cleanEnv({
      PILOTHOUSE_AGENT_DATABASE_URL: databaseUrl,
      PILOTHOUSE_AGENT_HOST: host,
      PILOTHOUSE_AGENT_SCHEMA: schema,
      PILOTHOUSE_AGENT_CONFIG: path.join(root, 'platform/agent-server/fixtures/few.json'),
      PILOTHOUSE_AGENT_OWNER: owner,
      ...(hangSeconds && { PILOTHOUSE_AGENT_HANG_SECONDS: String(hangSeconds) }),
    }),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit').finally(release)
  const [message] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`A replica ended with ${code} instead of starting.`))),
  ])
  if (!message.ready) throw new Error(`A replica does not start: ${JSON.stringify(message)}`)
  return { child, ended, owner, url: onStarted(`http://${host}:${message.ready.port}`) }
}

/**
 * `hangSeconds`: how long a replica may be silent.
 * @param {{ count: number, schema: string, program?: string, databaseUrl?: string, place?: () => Place, hangSeconds?: number }} options
 */
export async function startCluster({ count, databaseUrl, place = () => ({ databaseUrl }), ...more }) {
  const options = { ...more, place }
  const replicas = []
  let isStopped = false
  let ownEnds = 0
  const add = (one) => {
    replicas.push(one)
    void one.ended.then(() => {
      const index = replicas.indexOf(one)
      if (isStopped || index < 0) return
      replicas.splice(index, 1)
      ownEnds += 1
      void restart()
    })
  }
  /** As a supervisor does, until it starts: the database may be away. */
  const restart = async () => {
    while (!isStopped) {
      const one = await startReplica(options).catch(() => undefined)
      if (one && isStopped) one.child.kill('SIGKILL')
      else if (one) return add(one)
      else await sleep(500)
    }
  }
  for (let n = 0; n < count; n += 1) add(await startReplica(options))
  return {
    client: createReplicaClient(() => replicas.map((one) => one.url), { isPaused: more.hangSeconds !== undefined }),
    get size() {
      return replicas.length
    },
    get owners() {
      return replicas.map((one) => one.owner)
    },
    get urls() {
      return replicas.map((one) => one.url)
    },
    get pids() {
      return replicas.map((one) => one.child.pid)
    },
    /** How many ended without being killed, and were started again. */
    get ownEnds() {
      return ownEnds
    },
    /** Kills the one with this name, and starts another. */
    async replace(owner) {
      const index = replicas.findIndex((one) => one.owner === owner)
      const [victim] = replicas.splice(index, 1)
      victim.child.kill('SIGKILL')
      await victim.ended
      void restart()
    },
    /** Stops the one with this name like a machine that is paused. It goes on after `until`, and gets no requests before. */
    async pause(owner, until) {
      const index = replicas.findIndex((one) => one.owner === owner)
      const [victim] = replicas.splice(index, 1)
      victim.child.kill('SIGSTOP')
      await until
      victim.child.kill('SIGCONT')
      if (!isStopped) add(victim)
    },
    async stop() {
      isStopped = true
      for (const { child } of replicas) child.kill('SIGKILL')
      await Promise.all(replicas.map((one) => one.ended))
    },
  }
}

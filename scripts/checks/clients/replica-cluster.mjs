// Several agent servers of one deployment as separate processes, and a client that uses all of them.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { cleanEnv, root } from '../../bootstrap.mjs'
import { createReplicaClient } from './replica-client.mjs'

let started = 0

/** @param {{ databaseUrl: string | undefined, schema: string, program?: string }} options */
async function startReplica({ databaseUrl, schema, program = '.build/agent-server.mjs' }) {
  started += 1
  const owner = `replica-${started}`
  const child = fork(path.join(root, program), {
    env: cleanEnv({
      PILOTHOUSE_AGENT_DATABASE_URL: databaseUrl,
      PILOTHOUSE_AGENT_SCHEMA: schema,
      PILOTHOUSE_AGENT_CONFIG: path.join(root, 'platform/agent-server/fixtures/few.json'),
      PILOTHOUSE_AGENT_OWNER: owner,
    }),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [message] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`A replica ended with ${code} instead of starting.`))),
  ])
  if (!message.ready) throw new Error(`A replica does not start: ${JSON.stringify(message)}`)
  return { child, ended, owner, url: `http://127.0.0.1:${message.ready.port}` }
}

/** @param {Parameters<typeof startReplica>[0] & { count: number }} options */
export async function startCluster({ count, ...options }) {
  const replicas = []
  for (let n = 0; n < count; n += 1) replicas.push(await startReplica(options))
  return {
    client: createReplicaClient(() => replicas.map((one) => one.url)),
    get size() {
      return replicas.length
    },
    get owners() {
      return replicas.map((one) => one.owner)
    },
    get pids() {
      return replicas.map((one) => one.child.pid)
    },
    /** Kills the one with this name, and starts another. */
    async replace(owner) {
      const index = replicas.findIndex((one) => one.owner === owner)
      const [victim] = replicas.splice(index, 1)
      victim.child.kill('SIGKILL')
      await victim.ended
      void startReplica(options).then((one) => replicas.push(one))
    },
    async stop() {
      for (const { child } of replicas) child.kill('SIGKILL')
      await Promise.all(replicas.map((one) => one.ended))
    },
  }
}

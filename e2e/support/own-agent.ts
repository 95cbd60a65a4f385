import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { cleanEnv, root } from '../../scripts/bootstrap.mjs'
import { runningServer } from '../../scripts/postgres.mjs'

/** An agent server with the graphs of a test, as a separate process with its own schema in the product's database. */
export async function startOwnAgent(config: string) {
  const data = readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8')
  const env = cleanEnv({
    PILOTHOUSE_AGENT_DATABASE_URL: process.env.DATABASE_URL ?? runningServer(data),
    PILOTHOUSE_AGENT_SCHEMA: `journey_${randomBytes(6).toString('hex')}`,
    PILOTHOUSE_AGENT_CONFIG: path.join(root, config),
    PILOTHOUSE_AGENT_OWNER: 'journey',
    NODE_NO_WARNINGS: '1', // a fan-out of twelve exceeds the default limit of listeners
  })
  const child = fork(path.join(root, '.build/agent-server.mjs'), [], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [{ ready }] = (await once(child, 'message')) as [{ ready: { port: number } }]
  const url = `http://127.0.0.1:${ready.port}`
  return {
    url,
    // biome-ignore lint/suspicious/noExplicitAny: the contracts define the shapes, and a test that misreads one fails
    async ask(method: string, resource: string, body?: unknown): Promise<any> {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url + resource, {
        method,
        headers,
        body: body && JSON.stringify(body),
      } as RequestInit)
      if (!response.ok) throw new Error(`${method} ${resource}: ${response.status} ${await response.text()}`)
      return response.json()
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

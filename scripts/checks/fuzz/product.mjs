// The whole product, started for the fuzz check, with things in it that requests can name.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { freePort, until } from '../../../bench/next-app.mjs'
import { cleanEnv, root } from '../../bootstrap.mjs'
import { startTestDatabase } from '../../start-test-database.mjs'

const ADMINS = ['admin@example.com', 'second@example.com', 'third@example.com', 'fourth@example.com']
const NOBODY = '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001'
const planted = (name) => `planted-${name}-${Math.random().toString(36).slice(2).padEnd(32, 'z')}`

/**
 * Gives `{ filled(request, number), mend(), secretsFor(client), newLines(), agentLines(), stop() }`. `mend` brings back what
 * requests have removed. `named` puts things into a request.
 * @param {Function} named
 */
export async function startFuzzedProduct(named) {
  const data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-fuzz-'))
  const database = startTestDatabase()
  const databaseUrl = await database.url
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const secret = planted('session-secret')
  const password = planted('password')
  const sealing = Buffer.from(planted('sealing').slice(0, 32)).toString('base64')
  const value = planted('deployment-secret')
  let output = ''
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: cleanEnv({
      PORT: String(port),
      NEXTAUTH_URL: origin,
      NEXTAUTH_SECRET: secret,
      PILOTHOUSE_SEALING_KEY: sealing,
      PILOTHOUSE_DATA: data,
      PILOTHOUSE_ADMIN_EMAIL: ADMINS[0],
      PILOTHOUSE_ADMIN_PASSWORD: password,
      DATABASE_URL: databaseUrl,
      CONTROL_PLANE_URL: '',
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const ended = once(child, 'exit')
  const store = new pg.Client({ connectionString: databaseUrl })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await store.end()
    await database.stop()
    rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await until(`${origin}/readyz`)
    await store.connect()
    const platform = JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8'))
    /** @returns {Promise<any[]>} */
    const rows = async (text, values = []) => (await store.query(text, values)).rows

    const ask = async (method, resource, body) => {
      const response = await fetch(platform.url + resource, {
        method,
        headers: { 'x-api-key': platform.api_key, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      })
      const text = await response.text()
      return response.ok && text !== '' ? JSON.parse(text) : undefined
    }
    const wait = async (what, look) => {
      for (
        const end = Date.now() + 90_000;
        Date.now() < end;
        await new Promise((resolve) => setTimeout(resolve, 250))
      ) {
        const found = await look()
        if (found) return found
      }
      throw new Error(`There is still no ${what}.`)
    }

    const [integration] = await ask('GET', '/v1/integrations/github/install')
    const concierge = await wait(
      'sample deployment',
      async () => (await ask('GET', '/v2/deployments?name_contains=concierge'))?.resources[0],
    )
    await ask('PATCH', `/v2/deployments/${concierge.id}`, { secrets: [{ name: 'FUZZ_SECRET', value }] })
    const agent = `/agents/${concierge.id}`
    await wait('agent server', () => ask('GET', `${agent}/ok`))

    const things = {
      integration: integration.id,
      deployment: concierge.id,
      origin,
      project: NOBODY,
      trace: NOBODY,
      recording: NOBODY,
    }
    /** Cookie headers of the admins. */
    let cookies = ['']
    let made = 0

    async function mendAgent() {
      const assistant = things.assistant && (await ask('GET', `${agent}/assistants/${things.assistant}`))
      if (!assistant)
        things.assistant =
          (await ask('POST', `${agent}/assistants`, { graph_id: 'chat', name: 'fuzz' }))?.assistant_id ?? NOBODY
      const thread = things.thread && (await ask('GET', `${agent}/threads/${things.thread}`))
      if (!thread) {
        things.thread = (await ask('POST', `${agent}/threads`, {}))?.thread_id ?? NOBODY
        const run = await ask('POST', `${agent}/threads/${things.thread}/runs`, {
          assistant_id: 'chat',
          input: { messages: [{ role: 'user', content: 'hi' }] },
        })
        things.run = run?.run_id ?? NOBODY
        await ask('GET', `${agent}/threads/${things.thread}/runs/${things.run}/join`)
        const state = await ask('GET', `${agent}/threads/${things.thread}/state`)
        things.checkpoint = state?.checkpoint?.checkpoint_id ?? NOBODY
      }
      const cron = things.cron && (await ask('GET', `${agent}/runs/crons/${things.cron}`))
      if (!cron)
        things.cron =
          (await ask('POST', `${agent}/runs/crons`, { assistant_id: 'chat', schedule: '0 0 1 1 *' }))?.cron_id ?? NOBODY
      const found = await ask('POST', '/runs/query', { limit: 1 })
      things.trace = found?.runs?.[0]?.trace_id ?? things.trace
      const projects = await ask('GET', '/sessions?limit=1')
      things.project = projects?.[0]?.id ?? things.project
    }
    async function mendSpare() {
      const spare = things.spare && (await ask('GET', `/v2/deployments/${things.spare}`))
      if (spare && spare.status !== 'AWAITING_DELETE') {
        things.revision = spare.latest_revision_id ?? things.revision
        return
      }
      const created = await ask('POST', '/v2/deployments', {
        name: `spare-${made++}`,
        source: 'github',
        source_config: {
          integration_id: integration.id,
          repo_url: path.join(data, 'nowhere'),
          deployment_type: 'dev',
          build_on_push: false,
        },
        source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
        secrets: [{ name: 'SPARE_SECRET', value }],
      })
      Object.assign(things, { spare: created?.id ?? NOBODY, revision: created?.latest_revision_id ?? NOBODY })
    }
    async function mendPeople() {
      for (const email of ADMINS)
        await rows(`insert into console.accounts (email, name) values ($1, $1) on conflict do nothing`, [email])
      await rows(`update console.accounts set disabled_at = null where email = any($1)`, [ADMINS])
      await rows(
        `insert into console.memberships (account, workspace, role) select id, '*', 'admin' from console.accounts where email = any($1)
         on conflict (account, workspace) do update set role = 'admin'`,
        [ADMINS],
      )
      const people = await rows('select id, email, session_version from console.accounts where email = any($1)', [
        ADMINS,
      ])
      const name = `pilothouse-${port}.session`
      cookies = await Promise.all(
        people.map(async ({ id, email, session_version }) => {
          const claims = {
            email,
            name: email,
            sub: id,
            session: crypto.randomUUID(),
            version: session_version,
            signedInAt: Date.now(),
          }
          return `${name}=${await encode({ token: claims, secret, maxAge: 8 * 3600 })}`
        }),
      )
      const [member] = await rows('select id from console.accounts where email <> all($1) limit 1', [ADMINS])
      const [recording] = await rows('select id from console.recordings order by started_at desc limit 1')
      Object.assign(things, { member: member?.id ?? NOBODY, recording: recording?.id ?? NOBODY, session: name })
    }

    let read = output.length
    const secrets = {
      platform: [platform.api_key, secret, password, sealing, databaseUrl],
      console: [platform.api_key, secret, password, sealing, databaseUrl, value],
    }
    return {
      /** The request with what it names, and with credentials. */
      filled(request, number) {
        const cookie = cookies[number % cookies.length] ?? ''
        const filled = named(request, { ...things, cookie, number: String(number) })
        const isConsole = request.client === 'console'
        const own = isConsole ? { cookie } : { 'x-api-key': platform.api_key }
        return { ...filled, headers: { ...own, ...filled.headers }, origin: isConsole ? origin : platform.url }
      },
      mend: async () => {
        await mendAgent()
        await mendSpare()
        await mendPeople()
      },
      secretsFor: (client) => secrets[client],
      newLines() {
        const text = output.slice(read)
        const whole = text.slice(0, text.lastIndexOf('\n') + 1)
        read += whole.length
        return whole.split('\n')
      },
      /** What the sample's agent servers have logged as errors. */
      agentLines: async () => {
        const query = encodeURIComponent('failed (request')
        const found = await ask('GET', `/v2/deployments/${concierge.id}/logs?type=deploy&limit=100&query=${query}`)
        return (found?.logs ?? []).map(({ message }) => message)
      },
      stop,
    }
  } catch (error) {
    console.error(output.slice(-3_000))
    await stop()
    throw error
  }
}

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createToken } from '@/lib/actions/api-tokens'
import { createFixture, type Fixture, graphFiles } from '@/platform/testing/platform-fixture'
import { commands } from '@/scripts/docs/shell-commands.mjs'
import { signIn, type TestConsole, testActor, testConsole } from '../testing'
import { serveHttpApi } from './serve'

// The requests of the documentation, word for word: the shell reads them, and they go to a platform and a console that run.

vi.mock('next/headers', () => import('../access/testing'))
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const CONSOLE = 'http://localhost:3000'
/** Of a page that is generated. */
const generated = /^curl .+$/m.exec(readFileSync('scripts/docs/tables.mjs', 'utf8'))?.[0] ?? ''
const documented = [...commands.filter((command) => command.startsWith('curl ')), generated]
/** Makes the deployment that others are about. */
const isFirst = (command: string) => command.includes('/path/to/repository')

let fixture: Fixture
let home: TestConsole
let variables: Record<string, string>
beforeAll(async () => {
  fixture = await createFixture()
  home = await testConsole(fixture.consoleSettings)
  await signIn(await testActor({ local: 'admin' }))
  const wanted = { name: 'docs', kind: 'service', role: 'admin', deployments: null, days: 7 } as const
  const made = await createToken({ workspace: 'local', ...wanted })
  if (!made.ok) throw new Error(made.error.message)
  const { url, apiKey } = fixture.platform
  variables = {
    ...{ URL: url, PLATFORM: url, CONTROL_PLANE_URL: url, KEY: apiKey, CONTROL_PLANE_API_KEY: apiKey },
    ...{ PILOTHOUSE_URL: CONSOLE, PILOTHOUSE_TOKEN: made.data.token },
  }
})
afterAll(async () => {
  await home.close()
  await fixture.close()
})

/** What the shell would give to curl. Fails on a variable that is not set. */
const argumentsOf = (command: string) =>
  execFileSync('sh', ['-eu', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...variables },
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1)

function requestOf(command: string) {
  const headers = new Headers()
  let address = ''
  let method: string | undefined
  let body: string | undefined
  const args = argumentsOf(command)
  for (let at = 0; at < args.length; at++) {
    const value = args[at + 1] ?? ''
    if (args[at] === '-X') method = value
    else if (args[at] === '-H') headers.append(...(value.split(/: */, 2) as [string, string]))
    else if (args[at] === '-d') body = value
    else {
      address = args[at] ?? ''
      continue
    }
    at++
  }
  return new Request(address, { method: method ?? (body ? 'POST' : 'GET'), headers, ...(body && { body }) })
}

test('every request of the documentation is answered', async () => {
  expect(documented.length).toBeGreaterThan(4)
  const repository = fixture.repository()
  repository.commit(graphFiles())
  const inOrder = documented.toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one)))
  for (const command of inOrder) {
    const request = requestOf(command.replace('/path/to/repository', repository.url))
    const response = request.url.startsWith(CONSOLE) ? await serveHttpApi(request) : await fetch(request)
    const text = await response.text()
    expect(response.ok, `${command}\n${response.status} ${text}`).toBe(true)
    if (request.url.endsWith('/v2/listeners')) variables.ID = JSON.parse(text).id
    if (!isFirst(command)) continue
    const { id, tenant_id } = JSON.parse(text)
    Object.assign(variables, { DEPLOYMENT_ID: id, CONTROL_PLANE_TENANT_ID: tenant_id })
  }
})

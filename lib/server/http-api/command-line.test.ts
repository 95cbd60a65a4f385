import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createToken } from '@/lib/actions/api-tokens'
import { createFixture, type Fixture, graphFiles } from '@/platform/testing/platform-fixture'
import { runCommand } from '@/scripts/launch/cli/main.mjs'
import { signIn, type TestConsole, testActor, testConsole } from '../testing'
import { serveHttpApi } from './serve'

vi.mock('next/headers', () => import('../access/testing'))
// Real builds on a machine that other tests share.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const CONSOLE = 'http://localhost:3000'
let fixture: Fixture
let home: TestConsole
let token: string
beforeAll(async () => {
  fixture = await createFixture()
  home = await testConsole(fixture.consoleSettings)
  await signIn(await testActor({ local: 'admin' }))
  const wanted = { name: 'ci', kind: 'service', role: 'admin', deployments: null, days: 7 } as const
  const made = await createToken({ workspace: 'local', ...wanted })
  if (!made.ok) throw new Error(made.error.message)
  token = made.data.token
})
afterAll(async () => {
  await home.close()
  await fixture.close()
})

/** The command as a shell runs it, on the routes of this console. */
async function pilothouse(
  args: string[],
  { folder = '/tmp', as = token, isOpen = (): boolean => true, url = CONSOLE } = {},
) {
  const out: string[] = []
  const err: string[] = []
  const opened: string[] = []
  const code = await runCommand(args, {
    env: { PILOTHOUSE_TOKEN: as, PILOTHOUSE_URL: url },
    request: ((address: string, init: RequestInit) =>
      address.startsWith(url) ? serveHttpApi(new Request(address, init)) : fetch(address, init)) as typeof fetch,
    folder,
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    open: (address: string) => opened.push(address),
    pauseMs: 50,
    isOpen,
  })
  return { code, out: out.join('\n'), err: err.join('\n'), opened }
}

test('a folder is deployed, its build followed, and its URL printed; the next commit becomes a revision', async () => {
  const repository = fixture.repository()
  const first = repository.commit(graphFiles('first'))
  const made = await pilothouse(['deploy', '--name', 'from-a-shell'], { folder: repository.url })
  expect(made, made.err).toMatchObject({ code: 0 })
  expect(made.out).toContain(`Creating from-a-shell from ${repository.url}, main at ${first.slice(0, 7)}`)
  expect(made.out).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ graph\.json names 1 graph/)
  expect(made.out).toContain('Every graph loads')
  expect(made.out).toMatch(/Deployed: http:\/\/127\.0\.0\.1:\d+\/agents\//)
  const id = /deployments\/([0-9a-f-]{36})/.exec(made.out)?.[1] as string
  expect((await fixture.client.about(id)).text).toBe('first')

  const second = repository.commit(graphFiles('second'))
  const moved = await pilothouse(['deploy', '--name', 'from-a-shell', '--json'], { folder: repository.url })
  expect(JSON.parse(moved.out)).toMatchObject({
    id,
    name: 'from-a-shell',
    commit: second,
    status: 'DEPLOYED',
    console_url: `${CONSOLE}/local/deployments/${id}`,
  })
  expect(moved.err).toContain(`Updating from-a-shell from ${repository.url}, main at ${second.slice(0, 7)}`)
  expect((await fixture.client.about(id)).text).toBe('second')

  expect(await pilothouse(['open', 'from-a-shell'])).toMatchObject({
    code: 0,
    opened: [`${CONSOLE}/local/deployments/${id}`],
  })
  expect((await pilothouse(['logs', 'from-a-shell', '--build'])).out).toContain('graph.json names 1 graph')
  let looks = 0
  const followed = await pilothouse(['logs', 'from-a-shell', '-f'], { isOpen: () => looks++ < 2 })
  expect(followed.out.split('\n').filter((line) => line.includes('Every graph loads'))).toHaveLength(2)
  expect(await pilothouse(['runs', 'from-a-shell', '--json'])).toMatchObject({ code: 0, out: '[]' })
})

test('a build that fails ends with 1 and the lines that say why', async () => {
  const repository = fixture.repository()
  repository.commit({ 'graph.json': '{"graphs": {"main": "./gone.mjs:graph"}}' })
  const failed = await pilothouse(['deploy', '--name', 'broken'], { folder: repository.url })
  expect(failed.code).toBe(1)
  expect(failed.out).toContain('gone.mjs')
  expect(failed.err).toMatch(/broken was not deployed: (BUILD|DEPLOY)_FAILED/)
})

test('a folder without a repository is uploaded: what git would ignore and .env files stay here', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-cli-'))
  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
  }
  write({
    ...graphFiles('from a folder'),
    '.gitignore': 'out/\n',
    'out/large': 'x',
    '.env': 'A=secret',
    '.env.example': 'A=',
    'node_modules/a/index.js': '',
  })
  try {
    const made = await pilothouse(['deploy', '--name', 'uploaded'], { folder })
    expect(made, made.err).toMatchObject({ code: 0 })
    // The two files of the graph, and both that begin with a dot.
    expect(made.out).toContain(`Creating uploaded from 4 files of ${folder}`)
    expect(made.out).toContain('Left out: .env, node_modules.')
    expect(made.out).toContain('Unpacked 4 files of the uploaded source.')
    const id = /deployments\/([0-9a-f-]{36})/.exec(made.out)?.[1] as string
    expect((await fixture.client.about(id)).text).toBe('from a folder')

    write(graphFiles('changed'))
    const again = await pilothouse(['deploy', '--name', 'uploaded'], { folder })
    expect(again.out).toContain(`Updating uploaded from 4 files of ${folder}`)
    expect((await fixture.client.about(id)).text).toBe('changed')
    expect(await pilothouse(['deploy', '--name', 'from-a-shell', '--upload'], { folder })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/from-a-shell is deployed from .+ Give another --name/),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a repository without a remote is uploaded to a console elsewhere, with what is not committed', async () => {
  const repository = fixture.repository()
  repository.commit(graphFiles('committed'))
  for (const [name, text] of Object.entries(graphFiles('not committed')))
    writeFileSync(path.join(repository.url, name), text)
  const url = 'https://console.example.com'
  const made = await pilothouse(['deploy', '--name', 'elsewhere'], { folder: repository.url, url })
  expect(made, made.err).toMatchObject({ code: 0 })
  const id = /deployments\/([0-9a-f-]{36})/.exec(made.out)?.[1] as string
  expect((await fixture.client.about(id)).text).toBe('not committed')
})

test('nothing is sent that would not be what the folder holds', async () => {
  const repository = fixture.repository()
  repository.commit(graphFiles())
  writeFileSync(`${repository.url}/main.mjs`, 'changed')
  expect(await pilothouse(['deploy'], { folder: repository.url })).toMatchObject({
    code: 2,
    err: expect.stringContaining('not committed'),
  })
  repository.git('commit', '-qam', 'later')
  repository.git('remote', 'add', 'origin', 'git@example.com:team/agent.git')
  expect(await pilothouse(['deploy'], { folder: repository.url })).toMatchObject({
    code: 2,
    err: expect.stringContaining('not pushed'),
  })
})

test('exit codes tell a wrong use from a refused token', async () => {
  expect(await pilothouse(['logs'])).toMatchObject({ code: 2 })
  expect(await pilothouse(['logs', 'no-such'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('no deployment "no-such"'),
  })
  expect(await pilothouse(['runs', '--limit', 'x'])).toMatchObject({ code: 2 })
  expect(await pilothouse(['runs', '--unknown'])).toMatchObject({ code: 2 })
  expect(await pilothouse(['runs'], { as: '' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('PILOTHOUSE_TOKEN'),
  })
  expect(await pilothouse(['runs'], { as: 'pht_x_y' })).toMatchObject({ code: 3 })
})

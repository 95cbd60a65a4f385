import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { bundleLinks } from '../scripts/pack/bundles.mjs'
import { countInteractions } from './support/interactions'
import { choosePassword, expectAccessible } from './support/session'
import { startStubAgent } from './support/stub-agent'

const root = path.resolve(import.meta.dirname, '..')
let data: string
let port: number
const started: ChildProcess[] = []

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
/** `npm start` as a user runs it; `output` grows while it runs. */
function npmStart(env: Record<string, string> = {}, args = ['start']) {
  const child = spawn('npm', args, {
    cwd: root,
    env: { ...process.env, PORT: String(port), PILOTHOUSE_DATA: data, NEXTAUTH_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const run = { child, output: '', ended: once(child, 'exit').then(([code]) => code as number | null) }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      run.output += text
    })
  return run
}
/** Every process with the data folder in its command line or environment, which are those started by the launcher. */
const processesOf = (folder: string) =>
  execFileSync('ps', ['axeww', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter((line) => line.includes(folder) && !line.includes('ps axeww'))

test.beforeEach(async () => {
  data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-launch-'))
  port = await freePort()
})
test.afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  rmSync(data, { recursive: true, force: true })
})

test('npm start prints address and first sign-in, refuses a second start, and cleans up on SIGTERM', async ({
  page,
}) => {
  test.setTimeout(180_000)
  const first = npmStart()
  await expect.poll(() => first.output, { timeout: 60_000 }).toContain(`Pilothouse is ready: http://localhost:${port}`)
  await expect.poll(() => first.output).toContain('shown this once')
  const signIn = path.join(data, 'first-sign-in.txt')
  expect(statSync(signIn).mode & 0o777).toBe(0o600)
  expect(statSync(path.join(data, 'platform.json')).mode & 0o777).toBe(0o600)
  const password = /password:\s*(\S+)/i.exec(readFileSync(signIn, 'utf8'))?.[1] ?? 'none'
  expect(first.output).toContain(password)

  const email = /email:\s*(\S+)/i.exec(readFileSync(signIn, 'utf8'))?.[1] ?? 'none'
  await page.goto(`http://localhost:${port}/`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await choosePassword(page, password, 'a password of my own 7')

  // To a sample agent's first token: type, Enter.
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
  const interactions = await countInteractions(page)
  await expect(page.getByRole('combobox', { name: 'Agent' })).toBeVisible({ timeout: 60_000 }) // the samples have been built
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article', { name: 'AI message' })).toContainText(/\w/, { timeout: 20_000 })
  expect(interactions()).toBe(2)
  await expect(page).toHaveURL(/\/chat\//)

  // What to do next, until it is dismissed, and a tour by keyboard.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('region', { name: 'First steps: 1 of 5 done' })).toBeVisible()
  await page.getByRole('button', { name: 'Show me around' }).click()
  await expect(page.getByRole('dialog', { name: 'Talk to an agent' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Deployments' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Dismiss first steps' }).click()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible()
  await expect(page.getByRole('region', { name: /First steps/ })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Show me around' })).toHaveCount(0)

  const samePort = npmStart()
  expect(await samePort.ended).toBe(1)
  expect(samePort.output).toContain(`Port ${port} is taken`)
  const sameData = npmStart({ PORT: String(await freePort()) })
  expect(await sameData.ended).toBe(1)
  expect(sameData.output).toContain('in use by another Pilothouse')

  // A console that dies is started again, and the platform and its agents go on meanwhile.
  const pidsOf = (name: string) =>
    processesOf(data)
      .filter((line) => line.includes(name))
      .map((line) => Number.parseInt(line, 10))
  const others = [...pidsOf('platform.mjs'), ...pidsOf('agent-server.mjs')]
  expect(others.length).toBeGreaterThan(1)
  const [dying] = pidsOf('next-server')
  process.kill(dying as number, 'SIGKILL')
  await expect.poll(() => first.output).toContain('the console ended unexpectedly (SIGKILL); restarting it')
  const isUp = () =>
    fetch(`http://localhost:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isUp, { timeout: 60_000 }).toBe(true)
  expect([...pidsOf('platform.mjs'), ...pidsOf('agent-server.mjs')]).toEqual(others)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Threads' }).click()
  await expect(page.getByRole('table', { name: 'Threads' })).toContainText('hello')

  // So is the database, while the others go on.
  const serving = [...others, ...pidsOf('next-server')]
  const [server] = readFileSync(path.join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')
  process.kill(Number(server), 'SIGKILL')
  await expect.poll(() => first.output).toContain('PostgreSQL ended unexpectedly (SIGKILL); restarting it')
  await expect.poll(isUp, { timeout: 60_000 }).toBe(true)
  expect([...pidsOf('platform.mjs'), ...pidsOf('agent-server.mjs'), ...pidsOf('next-server')]).toEqual(serving)
  await page.reload()
  await expect(page.getByRole('table', { name: 'Threads' })).toContainText('hello')

  const asked = Date.now()
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  expect(Date.now() - asked).toBeLessThan(10_000)
  await expect.poll(() => processesOf(data), { timeout: 5_000 }).toEqual([])
  expect(existsSync(path.join(data, 'postgres/postmaster.pid'))).toBe(false)

  const again = npmStart()
  await expect.poll(() => again.output, { timeout: 60_000 }).toContain('Pilothouse is ready')
  expect(again.output).not.toContain(password)

  const { url } = JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8')) as { url: string }
  process.kill(
    Number(
      processesOf(data)
        .find((line) => line.includes('.build/platform.mjs'))
        ?.trim()
        .split(' ')[0],
    ),
    'SIGKILL',
  )
  await expect.poll(() => again.output).toContain('the platform ended unexpectedly (SIGKILL); restarting it')
  const isBack = () =>
    fetch(`${url}/ok`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isBack, { timeout: 30_000 }).toBe(true)
})

test('npm start attaches to an agent server that comes later: one link, then its Chat', async ({ page, request }) => {
  let isUp = false
  const agent = await startStubAgent(() => (isUp ? undefined : { status: 503, body: 'starting' }))
  try {
    const run = npmStart({ AGENT_SERVER_URL: agent.url })
    await expect.poll(() => run.output, { timeout: 60_000 }).toContain('Sign in (works once)')
    expect(run.output).not.toContain('embedded platform')
    const link = /http:\S+\/sign-in\/link\S+/.exec(run.output)?.[0] ?? 'none'
    const rebound = { headers: { host: `rebound.example.com:${port}` }, maxRedirects: 0 }
    expect((await request.get(link, rebound)).status()).toBe(421)

    await page.goto(link)
    await expect(page).toHaveURL(/\/default\/deployments\/[0-9a-f-]{36}\/chat$/)
    // Not yet a message: it is not known what the graph takes.
    await expect(page.getByRole('textbox', { name: 'Input', exact: true })).toBeFocused()
    isUp = true
    await expect(page.getByRole('combobox', { name: 'Assistant' })).toContainText('chat (default)')
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()

    await page.context().clearCookies()
    await page.goto(link)
    await expect(page.getByRole('alert').filter({ hasText: 'This link has been used' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Print a new link' }).click()
    await expect(page.getByText('A new link is in the terminal')).toBeVisible()
    const links = () => run.output.match(/http:\S+\/sign-in\/link\S+/g) ?? []
    await expect.poll(links).toHaveLength(2)
    await page.goto(links()[1] ?? 'none')
    await expect(page).toHaveURL(/\/chat$/)
  } finally {
    await agent.stop()
  }
})

test('npm run platform starts the platform alone, and says where it and its key are', async ({ request }) => {
  const run = npmStart({}, ['run', 'platform'])
  await expect.poll(() => run.output, { timeout: 60_000 }).toContain('[start] control plane at http')
  const { url, api_key } = JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8'))
  expect(run.output).toContain(`control plane at ${url}`)
  expect((await request.get(`${url}/v2/deployments`, { headers: { 'x-api-key': api_key } })).status()).toBe(200)
  run.child.kill('SIGTERM')
  expect(await run.ended).toBe(0)
  expect(run.output).not.toContain('Pilothouse is ready')
})

test('packages that the build loads through links load from an npm package too, which has none', () => {
  const [links, modules] = [path.join(root, '.next/node_modules'), path.join(root, 'node_modules')]
  const aliases = readdirSync(links, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ parentPath, name }) => path.relative(links, path.join(parentPath, name)))
  expect(aliases.length).toBeGreaterThan(0)
  cpSync(links, path.join(data, '.next/node_modules'), { recursive: true, verbatimSymlinks: true })
  bundleLinks(root, data)
  expect(existsSync(path.join(data, '.next/node_modules'))).toBe(false)
  const load = createRequire(path.join(data, '.next/server/chunk.js'))
  const own = createRequire(path.join(root, 'package.json'))
  for (const alias of aliases) {
    const name = path.relative(modules, realpathSync(path.join(links, alias)))
    expect(Object.keys(load(alias)), alias).toEqual(Object.keys(own(name)))
  }
})

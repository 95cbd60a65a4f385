import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDataFolder } from '../kernel/data-folder'
import { UID_BASE } from '../kernel/env'
import { endProcessesOf } from './owner'
import { openSandbox } from './sandbox'

/**
 * Users of this file only: a test here kills all processes of a user, and other tests run agent servers as the usual
 * users.
 */
const OWN_BASE = UID_BASE + 10_000_000

const isRoot = process.getuid?.() === 0
let data: string
beforeAll(() => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-sandbox-'))
  data = path.join(folder, 'data')
  chmodSync(folder, 0o711)
  openDataFolder(data)
  for (const one of ['one', 'two']) mkdirSync(path.join(data, 'cache/packages', one, 'home'), { recursive: true })
  writeFileSync(path.join(data, 'platform/api-key'), 'secret', { mode: 0o600 })
})
afterAll(() => rmSync(path.dirname(data), { recursive: true, force: true }))

const open = (methods?: string[], mode: 'auto' | 'off' = 'auto') =>
  openSandbox({
    dataDir: data,
    entry: path.resolve('package.json'),
    databaseUrls: ['postgres://127.0.0.1/x'],
    mode,
    methods,
    uidBase: OWN_BASE,
    readable: [],
    shared: [],
  })

/** Runs a command as deployment `one` or `two` in its own folder; returns its output. */
async function run(
  sandbox: Awaited<ReturnType<typeof open>>,
  id: string,
  argv: readonly [string, ...string[]],
  env: Record<string, string> = {},
) {
  const confinement = sandbox.confine({ id, number: id === 'one' ? 1 : 2 })
  const folder = path.join(data, 'builds', id, 'revision')
  mkdirSync(folder, { recursive: true })
  for (const one of [folder, path.join(data, 'cache/packages', id, 'home')]) await confinement.give(one)
  const child = confinement.spawn(argv, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    writable: [folder],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  return { code, output, folder, confinement }
}
/** One pipe for both streams, so that their lines keep their order. */
const shell = (script: string) => ['/bin/sh', '-c', `exec 2>&1; ${script}`] as const

const found = process.platform === 'linux' ? (isRoot ? ['unshare', 'setpriv'] : ['bwrap', 'unshare']) : []
describe.each(found)('a program confined by %s', (method) => {
  test('writes its own folder and sees nothing else of the data folder', async ({ skip }) => {
    const sandbox = await open([method])
    skip(sandbox.isolation === 'none', sandbox.warning)
    const other = await run(sandbox, 'two', shell('echo theirs > file; chmod 700 .'))
    const { output } = await run(
      sandbox,
      'one',
      shell(`echo mine > file; cat file "$HOME/../../../../platform/api-key" '${other.folder}/file' '${data}/platform/api-key'
        ls '${data}' '${data}/builds'; id -u; echo x > /usr/x || echo 'no system'; echo y > "$HOME/y" && echo home`),
    )
    expect(output).toMatch(/^mine\n/)
    expect(output).not.toMatch(/secret|theirs/)
    expect(output).toMatch(/no system\nhome\n/)
    expect(readFileSync(path.join(other.folder, 'file'), 'utf8')).toBe('theirs\n')
    if (isRoot) expect(output).toContain(`\n${OWN_BASE + 1}\n`)
  })

  test('gets its environment unchanged, and the programs that confine it get none of it', async ({ skip }) => {
    const sandbox = await open([method])
    skip(sandbox.isolation === 'none', sandbox.warning)
    const odd = { QUOTED: `it's $HOME "\n" \`x\`\nline`, 'with.dot': 'a b', UID: '7', LD_PRELOAD: '/missing.so' }
    const script = `console.log(JSON.stringify(Object.fromEntries(${JSON.stringify(Object.keys(odd))}.map((name) => [name, process.env[name]]))))`
    const { output } = await run(sandbox, 'one', [process.execPath, '-e', script], odd)
    expect(JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '{}')).toEqual(odd)
    // Printed once per program that started with the variable; about a dozen programs set up the sandbox.
    expect(output.match(/missing.so/g)?.length ?? 0).toBeLessThanOrEqual(4)
  })

  test('ends with everything that it started, and reports how it ended', async ({ skip }) => {
    const sandbox = await open([method])
    skip(sandbox.isolation === 'none', sandbox.warning)
    const mark = `60${Math.floor(Math.random() * 1e6)}`
    const { code, confinement } = await run(
      sandbox,
      'one',
      shell(`setsid sleep ${mark} >/dev/null 2>&1 & sleep 0.1; exit 3`),
    )
    expect(code).toBe(3)
    await confinement.endStrays([])
    const left = readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
      } catch {
        return false
      }
    })
    expect(left).toEqual([])
  })

  test('does not see processes of others', async ({ skip }) => {
    const sandbox = await open([method])
    skip(sandbox.isolation !== 'namespaces', sandbox.warning ?? 'a user alone sees that there are others')
    const { output } = await run(sandbox, 'one', shell('ls /proc | grep -c "^[0-9]"; ls -A /tmp'))
    const [processes, ...files] = output.trim().split('\n')
    expect(Number(processes)).toBeLessThan(8)
    // Of everything in /tmp only the way to the data folder, if that is there.
    expect(files).toEqual(data.startsWith('/tmp/') ? [data.split(path.sep)[2]] : [])
  })
})

test('if no isolation works or it is switched off, one line says so', async () => {
  expect(await open(undefined, 'off')).toMatchObject({
    isolation: 'none',
    warning: "Deployed code is not isolated: it runs with the operator's rights (PILOTHOUSE_SANDBOX is off).",
  })
  expect((await open([])).warning).toMatch(/^Deployed code is not isolated: .*$/)
})

test.skipIf(!isRoot || process.platform !== 'linux')(
  'processes of a user are killed, except in the groups that are kept',
  async () => {
    const sandbox = await open(['setpriv'])
    const confinement = sandbox.confine({ id: 'one', number: 1 })
    const start = () =>
      confinement.spawn(['sleep', '600'], {
        cwd: '/',
        env: { PATH: '/bin' },
        stdio: ['ignore', 'pipe', 'pipe'],
        writable: [],
      })
    const [kept, stray] = [start(), start()]
    // Both start as root and then change to the user.
    for (const { pid } of [kept, stray])
      await vi.waitFor(() => expect(statSync(`/proc/${pid}`).uid).toBe(OWN_BASE + 1), 15_000)
    const ended = once(stray, 'exit')
    await endProcessesOf(OWN_BASE + 1, [kept.pid as number])
    await ended
    expect(kept.exitCode).toBeNull()
    process.kill(-(kept.pid as number), 'SIGKILL')
  },
)

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, expect, test, vi } from 'vitest'
import { openDataFolder } from '../kernel/data-folder'
import { asProcessEnv, baseEnvironment, UID_BASE } from '../kernel/env'
import { readLines } from '../kernel/lines'
import type { Confinement } from '../sandbox/confinement'
import { openSandbox } from '../sandbox/sandbox'
import { startGitServer } from '../testing/git-server'
import { createRepository, isAlive, waitFor } from '../testing/platform-fixture'
import { testFolder } from '../testing/test-folder'
import { buildRevision } from './build'
import { BuildCache } from './build-cache'
import { runCommand } from './command'
import { remoteCommit } from './git'
import { authoritiesFolder } from './git-authorities'
import { git, gitEnvironment } from './git-command'
import { GitMirrors } from './git-mirrors'
import { ToolCopies } from './tool-copies'

const { path: folder, fresh, remove } = testFolder()
afterAll(remove)
const never = new AbortController().signal
const GRAPH = { 'graph.json': '{"graphs":{"main":"./main.mjs:graph"}}', 'main.mjs': 'export const graph = 1' }

async function build(
  url: string,
  ref = 'main',
  more: { env?: Record<string, string>; path?: string; install?: string; confinement?: Confinement } = {},
) {
  const place = fresh('revision')
  const lines: string[] = []
  const commits: string[] = []
  await buildRevision({
    folder: place,
    sourceConfig: { repo_url: url, install_command: more.install },
    sourceRevisionConfig: { repo_ref: ref, graph_config_path: more.path ?? 'graph.json' },
    env: { ...baseEnvironment(), ...more.env },
    cache: new BuildCache(fresh('cache')),
    mirrors: new GitMirrors(fresh('mirrors')),
    tools: new ToolCopies(path.join(folder, 'tools')),
    secrets: [],
    confinement: more.confinement,
    signal: never,
    log: (_level, message) => lines.push(message),
    onCommit: async (commit) => void commits.push(commit),
  })
  return { place, text: lines.join('\n'), commit: commits[0] }
}

test('a bare name is a branch and refs/tags/ a tag, even if both exist; an annotated tag resolves to its commit', async () => {
  const repository = createRepository(fresh('both'))
  const tagged = repository.commit(GRAPH)
  repository.git('tag', '--annotate', '--message=x', 'both')
  repository.git('tag', 'only-tag')
  repository.git('checkout', '--quiet', '-b', 'both')
  const branched = repository.commit({ 'main.mjs': 'export const graph = 2' })
  const at = async (ref: string, url = repository.url) => (await build(url, ref)).commit
  expect([await at('both'), await at('refs/heads/both'), await at('refs/tags/both')]).toEqual([
    branched,
    branched,
    tagged,
  ])
  expect(await at('refs/tags/only-tag', `file://${repository.url}`)).toBe(tagged)
  await expect(at('only-tag')).rejects.toThrow('There is a tag of that name: write refs/tags/only-tag to build it.')
  const look = { url: repository.url, env: baseEnvironment(), signal: never, configFile: fresh('config') }
  expect(await remoteCommit({ ...look, ref: 'refs/tags/both' })).toBe(tagged)
  expect(await remoteCommit({ ...look, ref: 'nowhere' })).toBeUndefined()
})

const programOfGit = (name: string) =>
  path.join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), name)
const DAEMON = programOfGit('git-daemon')

// Over git's own local server, if git includes it: as with https and ssh, but without a network.
test.runIf(existsSync(DAEMON))(
  'a source elsewhere is fetched through its mirror, and its working copy stands alone',
  async () => {
    const repository = createRepository(fresh('served'))
    const commit = repository.commit(GRAPH)
    const probe = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => probe.once('listening', resolve))
    const { port } = probe.address() as { port: number }
    await new Promise((resolve) => probe.close(resolve))
    const server = spawn(DAEMON, [
      '--export-all',
      '--listen=127.0.0.1',
      `--port=${port}`,
      `--base-path=${repository.url}`,
      repository.url,
    ])
    try {
      const url = `git://127.0.0.1:${port}/`
      await waitFor('it answers', () => canConnect(port))
      const { place, commit: found } = await build(url)
      expect(found).toBe(commit)
      for (const name of readdirSync(folder))
        if (name.startsWith('mirrors-')) rmSync(path.join(folder, name), { recursive: true })
      expect(execFileSync('git', ['log', '--format=%H'], { cwd: place, encoding: 'utf8' }).trim()).toBe(commit)
    } finally {
      server.kill()
    }
  },
)

const hasHttps = spawnSync('openssl', ['version']).status === 0 && existsSync(programOfGit('git-http-backend'))

test.runIf(hasHttps)('a host whose authority the operator named is trusted, with those of the system', async () => {
  const commit = createRepository(path.join(folder, 'hosted/agent')).commit(GRAPH)
  const server = await startGitServer(path.join(folder, 'hosted'), fresh('certificates'))
  const url = `${server.url}/agent`
  const look = { url, ref: 'main', env: baseEnvironment(), signal: never, configFile: fresh('config') }
  try {
    await expect(remoteCommit(look)).rejects.toThrow(/The authority of the host’s certificate is unknown/)
    vi.stubEnv('NODE_EXTRA_CA_CERTS', server.authority)
    expect(await remoteCommit(look)).toBe(commit)
    expect((await build(url)).commit).toBe(commit)
    // As for a submodule, or a package in a repository.
    const install = `git ls-remote ${url}`
    const data = fresh('data')
    openDataFolder(data)
    mkdirSync(path.join(data, 'cache/packages/one/home'), { recursive: true })
    const sandbox = await openSandbox({
      ...{ mode: 'auto', uidBase: UID_BASE + 20_000_000, dataDir: data, entry: path.resolve('package.json') },
      ...{ databaseUrls: [], readable: [], shared: [authoritiesFolder()] },
    })
    for (const confinement of [undefined, sandbox.confine({ id: 'one', number: 1 })])
      expect((await build(url, 'main', { install, confinement })).text).toContain(`${commit}\trefs/heads/main`)
    const { GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0 = '' } = await gitEnvironment(baseEnvironment(), url)
    expect(GIT_CONFIG_KEY_0).toBe('http.sslCAInfo')
    expect(readFileSync(GIT_CONFIG_VALUE_0, 'utf8').split('BEGIN CERTIFICATE').length).toBeGreaterThan(20)
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '')
    // Of the folder of PILOTHOUSE_GIT_CREDENTIALS, which pods that clone get.
    vi.stubEnv('PILOTHOUSE_GIT_CREDENTIALS', path.dirname(server.authority))
    expect(await remoteCommit(look)).toBe(commit)
  } finally {
    vi.unstubAllEnvs()
    await server.close()
  }
})

const canConnect = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

test('unresponsive and unreachable hosts fail with a reason and leave no process', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as { port: number }
  const env = await gitEnvironment(baseEnvironment())
  const own = { cwd: folder, env, signal: never, timeoutMs: 700 }
  await expect(git(['ls-remote', `git://127.0.0.1:${port}/x`], own)).rejects.toThrow('git ls-remote did not end within')
  silent.close()
  await expect(build('ssh://git@127.0.0.1:1/nowhere')).rejects.toThrow(/git fetch ended with 128/)
})

test('git works for a user whose settings it may not look for, as in a service with a closed home', async () => {
  const home = fresh('closed')
  mkdirSync(home)
  symlinkSync('.gitconfig', path.join(home, '.gitconfig')) // cannot be opened, by root either
  const base = { ...baseEnvironment(), HOME: home }
  const init = (env: Record<string, string>) => git(['init', '--quiet', home], { cwd: folder, env, signal: never })
  await expect(init(base)).rejects.toThrow('unable to access')
  await init(await gitEnvironment(base))
  await init(await gitEnvironment(base, folder, fresh('config')))
})

test('credentials of private repositories come from files, for their hosts only, and git does not write to them', async () => {
  const place = fresh("operator's")
  mkdirSync(place)
  const stored = 'https://ada:t0ken@git.example.com\n'
  for (const [name, text] of [
    ['credentials', stored],
    ['ssh-privatekey', ''],
    ['known_hosts', ''],
  ] as const)
    writeFileSync(path.join(place, name), text)
  vi.stubEnv('PILOTHOUSE_GIT_CREDENTIALS', place)
  const env = await gitEnvironment({ ...baseEnvironment(), HOME: folder }, 'https://git.example.com/x')
  const credential = (task: string, host: string, more = '') =>
    spawnSync('git', ['credential', task], {
      env: asProcessEnv(env),
      input: `protocol=https\nhost=${host}\n${more}\n`,
      encoding: 'utf8',
    })
  expect(credential('fill', 'git.example.com').stdout).toContain('password=t0ken\n')
  expect(credential('fill', 'other.example.com').stdout).not.toContain('t0ken')
  const { stderr } = credential('approve', 'git.example.com', 'username=eve\npassword=other\n')
  expect([stderr, readFileSync(path.join(place, 'credentials'), 'utf8')]).toEqual(['', stored])

  const bin = fresh('bin')
  mkdirSync(bin)
  writeFileSync(path.join(bin, 'ssh'), `#!/bin/sh\nprintf '%s\\n' "$@" > '${bin}/given'\n`, { mode: 0o755 })
  const own = { cwd: folder, env: { ...env, PATH: `${bin}:${env.PATH}` }, signal: never }
  await expect(git(['ls-remote', 'ssh://git@git.example.com/x'], own)).rejects.toThrow()
  const given = readFileSync(path.join(bin, 'given'), 'utf8').split('\n')
  expect(given).toContain(`-oIdentityFile=${path.join(place, 'ssh-privatekey')}`)
  expect(given).toContain(`-oUserKnownHostsFile=${path.join(place, 'known_hosts')}`)
  vi.unstubAllEnvs()
})

test('submodules and large files that are not fetched are reported', async () => {
  const repository = createRepository(fresh('partial'))
  repository.commit({
    ...GRAPH,
    '.gitmodules':
      '[submodule "a"]\n\tpath = libs/a\n\turl = https://example.invalid/a\n[submodule "b"]\n\tpath = libs/b\n\turl = x\n',
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'model.bin': 'version https://git-lfs.github.com/spec/v1\n',
  })
  const { text, place } = await build(repository.url)
  expect(text).toMatch(/Submodules are not fetched: libs\/a, libs\/b\./)
  expect(text).toMatch(/Git LFS are not fetched/)
  expect(readFileSync(path.join(place, 'model.bin'), 'utf8')).toContain('git-lfs')
})

test('a source with its own package.json gets its own packages, not the platform’s', async () => {
  const repository = createRepository(fresh('own'))
  repository.commit({
    'app/graph.json': GRAPH['graph.json'],
    'app/main.mjs': "import { mark } from '@langchain/langgraph'\nconsole.log(mark)\nexport const graph = 1",
    'package.json': JSON.stringify({
      type: 'module',
      dependencies: { '@langchain/langgraph': 'file:./vendor/langgraph' },
    }),
    'app/package.json': JSON.stringify({ type: 'module', scripts: { build: 'node -p process.env.INIT_CWD' } }),
    'vendor/langgraph/package.json':
      '{"name":"@langchain/langgraph","version":"0.0.1","type":"module","exports":"./index.js"}',
    'vendor/langgraph/index.js': "export const mark = 'its own copy'",
  })
  const { place, text } = await build(repository.url, 'main', { path: 'app/graph.json' })
  expect(text).toMatch(/Running the install command, for package.json: npm install/)
  expect(text).toMatch(/Running the build command, for app\/package.json: npm run build/)
  expect(execFileSync(process.execPath, [path.join(place, 'app/main.mjs')], { encoding: 'utf8' })).toBe(
    'its own copy\n',
  )
})

test('a failed build leaves no folder', async () => {
  const repository = createRepository(fresh('failed'))
  repository.commit({ ...GRAPH, 'graph.json': '{"graphs":{"main":"./none.mjs:graph"}}' })
  const before = readdirSync(folder)
  await expect(build(repository.url)).rejects.toThrow('Graph "main": the file "./none.mjs" does not exist')
  expect(readdirSync(folder)).toEqual(before)
})

test('a program that leaves its group and keeps the output open does not block the build', async () => {
  const lines: string[] = []
  const command = `${JSON.stringify(process.execPath)} -e "require('child_process').spawn('sleep', ['30'], { detached: true, stdio: 'inherit' }).unref(); console.log('left')"`
  await runCommand(['/bin/sh', '-c', command], {
    label: 'It',
    cwd: folder,
    env: baseEnvironment(),
    timeoutMs: 20_000,
    signal: never,
    onLine: (line) => lines.push(line),
  })
  expect(lines).toEqual(['left'])
})

test('an interrupt ends the command with everything it started', async () => {
  const lines: string[] = []
  const controller = new AbortController()
  const running = runCommand(['/bin/sh', '-c', 'sleep 60 & echo child $!; wait'], {
    label: 'It',
    cwd: folder,
    env: baseEnvironment(),
    timeoutMs: 60_000,
    signal: controller.signal,
    onLine: (line) => lines.push(line),
  })
  await waitFor('it runs', () => lines.length > 0)
  controller.abort(new Error('interrupted'))
  await expect(running).rejects.toThrow('interrupted')
  await waitFor('the grandchild is gone', () => !isAlive(Number(lines[0]?.split(' ')[1])))
})

test('lines: titles and bells are removed, invalid UTF-8 is replaced, an endless line is cut once, progress is sampled', async () => {
  const lines: string[] = []
  const stream = new PassThrough()
  readLines(stream, (line) => lines.push(line))
  const write = async (bytes: string | Buffer) => {
    stream.write(bytes)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await write('\u001b]0;title\u0007one\u0007\u001b(B\ttwo\n')
  await write(Buffer.from([0x61, 0xff, 0x62, 0x0a]))
  for (let part = 0; part < 40; part += 1) await write('x'.repeat(10_000))
  await write('\nafter\n')
  expect(lines.map((line) => (line.length > 100 ? `${line.length}` : line))).toEqual([
    'one\ttwo',
    'a\uFFFDb',
    expect.stringMatching(/^640\d\d$/),
    'after',
  ])
  lines.length = 0
  const now = vi.spyOn(Date, 'now')
  for (const [at, text] of [
    [0, '1%\r'],
    [500, '2%\r'],
    [3000, '3%\r4%'],
    [3100, '\r5%\r\n'],
  ] as const) {
    now.mockReturnValue(Date.parse('2030-01-01') + at)
    await write(text)
  }
  now.mockRestore()
  expect(lines).toEqual(['1%', '3%', '5%'])
})

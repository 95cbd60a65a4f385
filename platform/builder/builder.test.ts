import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { baseEnvironment } from '../kernel/env'
import { readLines } from '../kernel/lines'
import { createRepository, isAlive, waitFor } from '../testing/platform-fixture'
import { testFolder } from '../testing/test-folder'
import { runCommand } from './command'
import { checkout } from './git'
import { checkRepositoryUrl, fullRef } from './git-address'
import { readGraphConfig } from './graph-config'
import { createMask } from './mask'

const { path: folder, remove } = testFolder()
afterAll(remove)
const write = (name: string, text: string) => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
}
const never = new AbortController().signal

test.each([
  ['main', 'refs/heads/main'],
  ['feature/a-b.c', 'refs/heads/feature/a-b.c'],
  ['refs/tags/v1.0', 'refs/tags/v1.0'],
  ['refs/heads/main', 'refs/heads/main'],
])('the ref %s is fetched as %s', (ref, full) => expect(fullRef(ref)).toBe(full))

test.each([
  '',
  '-x',
  '--upload-pack=x',
  'a b',
  'a..b',
  'a~1',
  'a^',
  'a:b',
  'x.lock',
  'a//b',
  '/a',
  'a/',
  'a\nb',
  '@',
  'a@{1}',
  '.a',
  'a/.b',
  'a\\b',
  '*',
])('the ref %j is refused', (ref) => expect(() => fullRef(ref)).toThrow('is not a valid branch or tag name'))

test.each([
  '/srv/repo',
  'file:///srv/repo',
  'https://example.com/a.git',
  'ssh://git@example.com/a',
  'git://example.com/a',
  'git@example.com:a/b.git',
])('the address %s is accepted', (url) => expect(checkRepositoryUrl(url)).toBe(url))
test.each([
  '',
  'relative/path',
  '-u',
  '--upload-pack=x',
  'ext::sh -c touch% /tmp/x',
  'http://example.com/a',
  'ftp://x/y',
  'https://x/\ny',
  'fd::17',
  'a@b::c',
])('the address %j is refused', (url) => expect(() => checkRepositoryUrl(url)).toThrow('Invalid repository address'))

test('a checkout has the ref’s commit or the requested one, and runs no code of the repository', async () => {
  const repository = createRepository(path.join(folder, 'source'))
  const first = repository.commit({ 'a.txt': 'one', '.gitattributes': '' })
  writeFileSync(path.join(folder, 'source/.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${folder}/hooked\n`, {
    mode: 0o755,
  })
  repository.git('tag', 'v1')
  const second = repository.commit({ 'a.txt': 'two' })
  const at = async (ref: string, commit?: string) => {
    const { commit: found } = await checkout({
      url: repository.url,
      ref,
      commit,
      folder: path.join(folder, `out-${Math.random()}`),
      env: baseEnvironment(),
      signal: never,
      onLine: () => {},
    })
    return found
  }
  expect([await at('main'), await at('refs/tags/v1'), await at('main', first)]).toEqual([second, first, first])
})

test('what git says of a commit is read, however long or odd', async () => {
  const repository = createRepository(path.join(folder, 'said'))
  repository.commit({ 'a.txt': 'one' })
  const message = `Say hello\n\nWhy: \u202Eodd ${'x'.repeat(1_980)}😀😀😀`
  repository.git('commit', '--quiet', '--amend', '--allow-empty', '--author=Zoë <zoe@example.org>', `-m${message}`)
  const { facts } = await checkout({
    url: repository.url,
    ref: 'main',
    folder: path.join(folder, 'said-out'),
    env: baseEnvironment(),
    signal: never,
    onLine: () => {},
  })
  expect(facts).toMatchObject({ author: 'Zoë', authored_at: expect.stringMatching(/^\d{4}-/) })
  expect(facts.message.startsWith('Say hello\nWhy: \u202Eodd xxx')).toBe(true)
  expect([facts.message.length, facts.message.isWellFormed()]).toEqual([2_000, true])
})

describe('a graph configuration', () => {
  test('is read with its graphs and its env', async () => {
    write('good/agent.mjs', '')
    write('good/.env', 'A=1\nB="two words"\n')
    write(
      'good/graph.json',
      JSON.stringify({
        graphs: { a: './agent.mjs', b: { path: './agent.mjs:g', description: 'x' } },
        env: '.env',
        node_version: '20',
      }),
    )
    expect(await readGraphConfig(path.join(folder, 'good'), 'graph.json')).toEqual({
      file: path.join(folder, 'good/graph.json'),
      graphs: ['a', 'b'],
      env: { A: '1', B: 'two words' },
      nodeVersion: '20',
      isTyped: false,
      notes: [],
    })
  })
  const read = (config: object) => {
    write('keys/agent.mjs', '')
    write('keys/graph.json', JSON.stringify({ graphs: { a: './agent.mjs' }, ...config }))
    return readGraphConfig(path.join(folder, 'keys'), 'graph.json')
  }
  test('takes env as values; a missing env file is a note, and so are names to set', async () => {
    expect(await read({ env: { A: 1, B: 'two' } })).toMatchObject({ env: { A: '1', B: 'two' }, notes: [] })
    expect(await read({ env: '.env' })).toMatchObject({
      env: {},
      notes: ['The env file ".env" is not in the source. Set its variables as secrets of the deployment.'],
    })
    expect((await read({ env: ['A_KEY', 'B_KEY'] })).notes).toEqual([
      'Set the variables A_KEY, B_KEY as secrets of the deployment.',
    ])
  })
  test('names each key that is not applied; keys without a value are not worth a line', async () => {
    const { notes } = await read({
      $schema: 'x',
      dependencies: ['.', '../shared'],
      dockerfile_lines: ['RUN apt-get install -y ffmpeg'],
      docker_compose_file: '',
      image_distro: null,
      store: { index: { embed: 'openai:small', dims: 8 }, ttl: { default_ttl: 5 } },
      http: { cors: {}, disable_mcp: true, app: './app.ts:app', logging_headers: { includes: ['x-a'] } },
      checkpointer: { ttl: { strategy: 'delete', default_ttl: 5, sweep_interval_minutes: 1 } },
      webhooks: { headers: { a: 'b' }, url: { require_https: true } },
      auth: { path: './auth.ts:auth', cache: { ttl_seconds: 60 } },
      not_a_key: true,
    })
    expect(notes.sort()).toEqual([
      '"auth.cache" is not applied: every request is authenticated.',
      '"checkpointer.ttl.sweep_interval_minutes" is not applied: expired threads are removed every half a minute.',
      '"dependencies" is not applied to ../shared: packages are installed from package.json.',
      '"dockerfile_lines" is not applied: the platform builds no container image.',
      '"http.logging_headers" is not applied: the platform does not know it.',
      '"not_a_key" is not applied: the platform does not know it.',
    ])
  })
  test('is found under its other usual name', async () => {
    write('branded/agent.mjs', '')
    write('branded/langgraph.json', '{"graphs":{"a":"./agent.mjs:g"}}')
    expect((await readGraphConfig(path.join(folder, 'branded'), 'graph.json')).file).toBe(
      path.join(folder, 'branded/langgraph.json'),
    )
  })
  test.each([
    ['names no graph', '{"graphs":{}}', /names no graph/],
    ['has no graphs', '{}', /graphs: Invalid input/],
    ['is a list', '[]', /not a graph configuration/],
    ['names a missing file', '{"graphs":{"a":"./none.mjs:g"}}', /Graph "a": the file ".\/none.mjs" does not exist/],
    ['leads out by dots', '{"graphs":{"a":"../outside.mjs:g"}}', /points outside the source/],
    ['leads out by a link', '{"graphs":{"a":"./link.mjs:g"}}', /points outside the source/],
    [
      'has an env file outside',
      '{"graphs":{"a":"./agent.mjs"},"env":"../outside.mjs"}',
      /The env file .* points outside/,
    ],
    [
      'has a missing env file outside',
      '{"graphs":{"a":"./agent.mjs"},"env":"../none"}',
      /The env file .* points outside/,
    ],
  ])('that %s is refused with the reason', async (_what, text, reason) => {
    write('outside.mjs', '')
    write('bad/agent.mjs', '')
    rmSync(path.join(folder, 'bad/link.mjs'), { force: true })
    symlinkSync(path.join(folder, 'outside.mjs'), path.join(folder, 'bad/link.mjs'))
    write('bad/graph.json', text)
    await expect(readGraphConfig(path.join(folder, 'bad'), 'graph.json')).rejects.toThrow(reason)
  })
})

test('a command that times out is killed with its child processes', async () => {
  const lines: string[] = []
  const command = 'sleep 60 & echo child $!; wait'
  const running = runCommand(['/bin/sh', '-c', command], {
    label: 'It',
    cwd: folder,
    env: baseEnvironment(),
    timeoutMs: 400,
    signal: never,
    onLine: (line) => lines.push(line),
  })
  await expect(running).rejects.toThrow('It did not end within 0 s.')
  await waitFor('the grandchild is gone', () => !isAlive(Number(lines[0]?.split(' ')[1])))
  await expect(
    runCommand(['/no/such/program'], {
      label: 'It',
      cwd: folder,
      env: baseEnvironment(),
      timeoutMs: 5000,
      signal: never,
      onLine: () => {},
    }),
  ).rejects.toThrow('It cannot be started')
})

test('lines survive any split of the bytes; colours are removed, and a progress bar yields its last state', async () => {
  const text = 'plain\n\u001b[31mröt\u001b[0m\r\n10%\r50%\r100%\n\nlast'
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const stream = new PassThrough()
    const lines: string[] = []
    readLines(stream, (line) => lines.push(line))
    stream.write(bytes.subarray(0, cut))
    stream.end(bytes.subarray(cut))
    await new Promise((resolve) => stream.once('close', resolve))
    expect(lines).toEqual(['plain', 'röt', '100%', 'last'])
  }
})

test('a mask hides whole, multi-line and encoded values and those in URLs, but not short ones', () => {
  const mask = createMask(['s3cret', 's3cret-longer', 'line one\nline two', 'a b/c?', '1'])
  expect(mask('s3cret-longer s3cret 1')).toBe('•••• •••• 1')
  expect(mask('line two')).toBe('••••')
  expect(mask('line one\\nline two')).toBe('••••')
  expect(mask('q=a%20b%2Fc%3F')).toBe('q=••••')
  expect(mask('fetching https://user:token@example.com/x')).toBe('fetching https://••••@example.com/x')
})

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Secret } from '@/lib/contracts/deployments/deployments'
import { baseEnvironment } from '../kernel/env'
import { createRepository } from '../testing/platform-fixture'
import { testFolder } from '../testing/test-folder'
import { buildRevision } from './build'
import { BuildCache } from './build-cache'
import { detectBuild, detectInstall } from './detect'
import { GitMirrors } from './git-mirrors'
import { describeNodeVersion, satisfiesRange } from './node-version'
import { ToolCopies } from './tool-copies'

const { path: folder, fresh, remove } = testFolder()
afterAll(remove)
function source(files: Record<string, string>) {
  const place = fresh('source')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true })
    writeFileSync(path.join(place, name), text)
  }
  return place
}
const manifest = (more: object = {}) =>
  JSON.stringify({ dependencies: { left: '1' }, scripts: { build: 'tsc' }, ...more })

describe('the package manager', () => {
  const BERRY = '__metadata:\n  version: 8\n'
  test.each([
    ['package-lock.json', '', undefined, /^npm ci/, undefined],
    ['yarn.lock', '# yarn lockfile v1', undefined, /^yarn install --frozen-lockfile/, '1.22.22'],
    ['yarn.lock', '# yarn lockfile v1', 'yarn@1.22.19', /^yarn install --frozen-lockfile/, '1.22.19'],
    ['yarn.lock', BERRY, undefined, /^yarn install --immutable/, '4.18.1'],
    ['yarn.lock', BERRY, 'yarn@4.9.2+sha224.abc', /^yarn install --immutable/, '4.9.2'],
    ['pnpm-lock.yaml', "lockfileVersion: '9.0'", undefined, /^pnpm install --frozen-lockfile/, '10.34.8'],
    ['pnpm-lock.yaml', "lockfileVersion: '6.0'", undefined, /^pnpm install --frozen-lockfile/, '8.15.9'],
    ['pnpm-lock.yaml', 'lockfileVersion: 5.4', undefined, /^pnpm install --frozen-lockfile/, '7.33.7'],
    ['pnpm-lock.yaml', "lockfileVersion: '9.0'", 'pnpm@10.9.0+sha512.0f', /^pnpm install --frozen/, '10.9.0'],
    ['bun.lock', '', undefined, /^bun install --frozen-lockfile/, '1.4.5'],
    ['bun.lockb', '', 'bun@1.2.0', /^bun install --frozen-lockfile/, '1.2.0'],
    ['README.md', '', undefined, /^npm install/, undefined],
    ['README.md', '', 'pnpm@9', /^pnpm install/, '9'],
  ])(
    'of %s (%j) with packageManager %s runs %s as version %s',
    async (file, text, packageManager, command, version) => {
      const place = source({ 'package.json': manifest({ packageManager }), [file]: text })
      const found = await detectInstall(place)
      expect(found?.command).toMatch(command)
      expect(found?.manager.version).toBe(version)
      expect((await detectBuild(place))?.command).toBe(`${found?.manager.tool} run build`)
    },
  )

  test('is that of the lock file if packageManager names another, with a notice', async () => {
    const place = source({ 'package.json': manifest({ packageManager: 'pnpm@10.9.0' }), 'package-lock.json': '{}' })
    expect((await detectInstall(place))?.manager).toMatchObject({
      tool: 'npm',
      note: 'package.json asks for pnpm 10.9.0, but the lock file is package-lock.json: installing with npm.',
    })
  })

  test('is not read from a version that npm would interpret differently', async () => {
    const place = source({ 'package.json': manifest({ packageManager: 'yarn@https://example.invalid/x.tgz' }) })
    expect((await detectInstall(place))?.manager.tool).toBe('npm')
  })
})

describe('packages are installed', () => {
  const at = async (files: Record<string, string>, config: string) => {
    const place = source(files)
    const found = await detectInstall(place, path.join(place, config))
    return (
      found && `${path.relative(place, found.cwd) || '.'}: ${found.manager.tool} ${found.manager.version ?? ''}`.trim()
    )
  }
  const workspace = { 'package.json': manifest({ workspaces: ['apps/*'], packageManager: 'yarn@4.5.0' }) }
  test.each([
    [
      'the root of a workspace',
      { ...workspace, 'yarn.lock': '__metadata:', 'apps/a/package.json': manifest() },
      'apps/a',
      '.: yarn 4.5.0',
    ],
    [
      'a pnpm workspace',
      {
        'package.json': '{}',
        'pnpm-workspace.yaml': 'packages:\n  - a\n',
        'pnpm-lock.yaml': "lockfileVersion: '9.0'",
        'a/package.json': manifest(),
      },
      'a',
      '.: pnpm 10.34.8',
    ],
    [
      'the folder with its own lock file',
      { ...workspace, 'apps/a/package.json': manifest(), 'apps/a/package-lock.json': '' },
      'apps/a',
      'apps/a: npm',
    ],
    [
      'the folder of the configuration, without a workspace',
      { 'package.json': manifest(), 'js/package.json': manifest({ packageManager: 'bun@1.1.0' }) },
      'js',
      'js: bun 1.1.0',
    ],
    [
      'the nearest folder above',
      { 'package.json': manifest(), 'yarn.lock': '', 'src/agent/graph.json': '' },
      'src/agent',
      '.: yarn 1.22.22',
    ],
    ['nowhere without packages', { 'package.json': '{"type":"module"}' }, '.', undefined],
    ['nowhere without a package.json', { 'README.md': '' }, '.', undefined],
  ])('in %s', async (_what, files, config, expected) => {
    expect(await at(files as Record<string, string>, config)).toBe(expected)
  })
})

test.each([
  ['20.20.2', '20', true],
  ['20.20.2', '>=18', true],
  ['20.20.2', '^20.9.0 || >=22', true],
  ['21.1.0', '^20.9.0 || >=22', false],
  ['20.20.2', '>= 18.0.0 < 21', true],
  ['22.1.0', '>=18.0.0 <21', false],
  ['20.20.2', '18 - 20', true],
  ['20.20.2', 'v20.11', false],
  ['20.20.2', '~20.20.0', true],
  ['20.20.2', '20.x', true],
  ['20.20.2', '>20', false],
  ['20.20.2', '<=20', true],
  ['20.20.2', '*', true],
  ['20.20.2', 'lts/iron', undefined],
] as const)('Node.js %s in the range %s: %s', (version, range, expected) => {
  expect(satisfiesRange(version, range)).toBe(expected)
})

test('the requested Node.js version is reported next to the installed one', async () => {
  const place = source({ 'package.json': manifest({ engines: { node: '>=18' } }), '.nvmrc': '20\n' })
  const config = { file: path.join(place, 'graph.json'), nodeVersion: '20' }
  expect(await describeNodeVersion(place, [place], config, '20.20.2')).toEqual([
    { isOther: false, line: 'Node.js 20.20.2; asked for: 20 by graph.json, >=18 by package.json, 20 by .nvmrc.' },
  ])
  expect(await describeNodeVersion(place, [place], config, '22.1.0')).toEqual([
    { isOther: true, line: 'graph.json asks for Node.js 20; this platform runs 22.1.0.' },
    { isOther: true, line: '.nvmrc asks for Node.js 20; this platform runs 22.1.0.' },
  ])
})

describe('a build', () => {
  /** An npm that installs programs that only report their calls, or that fails as without a network. */
  function searchPath(npm: string) {
    const bin = fresh('bin')
    mkdirSync(bin)
    for (const program of ['git', 'sh', 'mkdir', 'cat', 'chmod', 'node'])
      symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), path.join(bin, program))
    writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\n${npm}`)
    chmodSync(path.join(bin, 'npm'), 0o755)
    return bin
  }
  const calls = () => path.join(folder, 'npm-calls')
  const working = () => `
if [ "$1" = --version ]; then echo 10.0.0; exit; fi
echo "$@" >> ${calls()}
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"
tool=pnpm; case "$3" in @yarnpkg/*) tool=yarn;; esac
printf '#!/bin/sh\\necho "the copy of %s runs $* with cache $npm_config_store_dir"\\n' "$3" > "$2/node_modules/.bin/$tool"
chmod +x "$2/node_modules/.bin/$tool"`

  async function build(
    files: Record<string, string>,
    more: { bin?: string; secrets?: Secret[]; install?: string; tools?: string; cache?: string; url?: string } = {},
  ) {
    const repository = createRepository(more.url ?? fresh('repository'))
    if (!more.url)
      repository.commit({
        'graph.json': '{"graphs":{"main":"./main.mjs:graph"}}',
        'main.mjs': 'export const graph = 1',
        ...files,
      })
    const lines: string[] = []
    const place = fresh('revision')
    await buildRevision({
      folder: place,
      sourceConfig: { repo_url: repository.url, install_command: more.install ?? null },
      sourceRevisionConfig: { repo_ref: 'main', graph_config_path: 'graph.json' },
      env: { ...baseEnvironment(), ...(more.bin && { PATH: more.bin }) },
      secrets: more.secrets ?? [],
      cache: new BuildCache(more.cache ?? fresh('cache')),
      mirrors: new GitMirrors(fresh('mirrors')),
      tools: new ToolCopies(more.tools ?? fresh('tools')),
      packageCache: path.join(folder, 'packages', path.basename(place)),
      signal: new AbortController().signal,
      log: (_level, message) => lines.push(message),
      onCommit: async () => {},
    })
    return { text: lines.join('\n'), url: repository.url, place }
  }

  const pnpm = {
    'package.json': manifest({ packageManager: 'pnpm@10.9.0' }),
    'pnpm-lock.yaml': "lockfileVersion: '9.0'",
  }

  test('gets a package manager that is not installed from the registry, once, and each has its own cache', async () => {
    const [bin, tools] = [searchPath(working()), fresh('tools')]
    const [one, two] = [await build(pnpm, { bin, tools }), await build(pnpm, { bin, tools })]
    expect(one.text).toMatch(/pnpm 10.9.0 is not installed: downloading it from the registry/)
    for (const { text, place } of [one, two]) {
      expect(text).toContain(
        `the copy of pnpm@10.9.0 runs install --frozen-lockfile with cache ${folder}/packages/${path.basename(place)}/pnpm`,
      )
      expect(text).toContain('the copy of pnpm@10.9.0 runs run build')
    }
    expect(readFileSync(calls(), 'utf8').trim().split('\n')).toHaveLength(1)
  })

  test('leaves a package manager alone that another build installed meanwhile, and may be running', async () => {
    const tools = fresh('tools')
    const bin = searchPath(`
if [ "$1" = --version ]; then echo 10.0.0; exit; fi
if mkdir ${tools}-first; then copy=first; until [ -d ${tools}-second ]; do :; done
else copy=second; mkdir ${tools}-second; until [ -d ${tools}/pnpm-10.9.0 ]; do :; done; fi
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"
printf '#!/bin/sh\\necho "the %s copy runs $*"\\n' $copy > "$2/node_modules/.bin/pnpm"
chmod +x "$2/node_modules/.bin/pnpm"`)
    for (const { text } of await Promise.all([build(pnpm, { bin, tools }), build(pnpm, { bin, tools })]))
      expect(text).toContain('the first copy runs run build')
  })

  test('explains what to do if the package manager cannot be installed', async () => {
    const bin = searchPath(
      'if [ "$1" = --version ]; then echo 10.0.0; exit; fi\necho network is unreachable >&2; exit 1',
    )
    const error = await build(pnpm, { bin }).catch((error: Error) => error)
    expect((error as Error).message).toMatch(
      /has pnpm-lock.yaml, so it needs pnpm 10.9.0, .*could not be downloaded from the registry:\n.*\nnetwork is unreachable\nInstall it, or set install and build commands for the deployment/s,
    )
  })

  test('that the package manager fails ends with its reason and with what to do', async () => {
    const bin = searchPath(`
if [ "$1" = --version ]; then echo 10.0.0; exit; fi
echo 'npm warn Unknown env config "store-dir". This will stop working.' >&2
echo 'npm error code EUNSUPPORTEDPROTOCOL' >&2
echo 'npm error Unsupported URL Type "workspace:": workspace:*' >&2
exit 1`)
    const error = await build({ 'package.json': '{"dependencies":{"a":"workspace:*"}}' }, { bin }).catch(
      (error: Error) => error,
    )
    expect((error as Error).message).toMatch(
      /^The install command ended with 1\.\nnpm error Unsupported URL Type "workspace:": workspace:\*\nnpm cannot install a package of a workspace/,
    )
  })

  test('that the source’s own build script fails says how to leave it out', async () => {
    const bin = searchPath(`
if [ "$1" = --version ]; then echo 10.0.0; exit; fi
if [ "$1" = run ]; then echo "src/page.tsx(1,1): error TS6133: 'x' is never read."; exit 2; fi`)
    const error = await build({ 'package.json': manifest({}) }, { bin }).catch((error: Error) => error)
    expect((error as Error).message).toMatch(
      /^The build command ended with 2\.\nsrc\/page.tsx.* is never read\.\nThis is the build script of package.json\..*build command to “true”/,
    )
  })

  test('leaves the package manager alone if the deployment’s own command does not use it', async () => {
    const { text } = await build(
      { ...pnpm, 'package.json': JSON.stringify({ dependencies: { a: '1' } }) },
      { bin: searchPath('exit 1'), install: 'echo own' },
    )
    expect(text).toMatch(/Running the install command: echo own\nown/)
  })

  test('gets the secrets that the registry’s settings name, and no others', async () => {
    const files = {
      'package.json': '{}',
      '.npmrc': `//registry.example.com/:_authToken=\${NPM_TOKEN}\nx=\${OTHER}\ny=\${SET-}`,
    }
    const install = 'echo "token: $NPM_TOKEN, key: $API_KEY."'
    const secrets = [
      { name: 'NPM_TOKEN', value: 'token-1' },
      { name: 'API_KEY', value: 'key-1' },
    ]
    const cache = fresh('cache')
    const { text, url } = await build(files, { install, secrets, cache })
    expect(text).toMatch(/^token: token-1, key: \.$/m)
    expect(text).toContain('The commands get the secret NPM_TOKEN, which .npmrc names.')
    expect(text).toContain('.npmrc names OTHER, which is not a secret of the deployment.')
    expect(text).not.toContain('SET')
    // Deployments without the token must not get what it gave access to.
    const again = (own: Secret[]) => build({}, { install, cache, url, secrets: own }).then(({ text }) => text)
    expect(await again(secrets)).toMatch(/from the build cache/)
    expect(await again([])).not.toMatch(/from the build cache/)
    expect(existsSync(cache)).toBe(true)
  })

  test('installs from a private registry with a token that is a secret, and says what is missing without it', async () => {
    const made = fresh('private-package')
    mkdirSync(made)
    writeFileSync(path.join(made, 'package.json'), '{"name":"@harbour/tide","version":"1.2.0"}')
    writeFileSync(path.join(made, 'index.js'), 'module.exports = "high"')
    execFileSync('npm', ['pack', '--silent'], { cwd: made })
    const tarball = readFileSync(path.join(made, 'harbour-tide-1.2.0.tgz'))
    const asked: (string | undefined)[] = []
    const registry = createServer(({ url, headers }, response) => {
      asked.push(headers.authorization)
      if (headers.authorization !== 'Bearer token-1') return response.writeHead(401).end('{}')
      if (url?.endsWith('.tgz')) return response.end(tarball)
      const dist = {
        tarball: `${address}/tide.tgz`,
        integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
      }
      const versions = { '1.2.0': { name: '@harbour/tide', version: '1.2.0', dist } }
      return response.end(JSON.stringify({ name: '@harbour/tide', 'dist-tags': { latest: '1.2.0' }, versions }))
    })
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(registry.address() as AddressInfo).port}`
    const address = `http://${host}`
    const files = {
      'package.json': '{"dependencies":{"@harbour/tide":"^1.0.0"}}',
      '.npmrc': `@harbour:registry=${address}\n//${host}/:_authToken=\${HARBOUR_TOKEN}\naudit=false\nfund=false`,
    }
    const secrets = [{ name: 'HARBOUR_TOKEN', value: 'token-1' }]
    const { place, text } = await build(files, { secrets })
    expect(readFileSync(path.join(place, 'node_modules/@harbour/tide/index.js'), 'utf8')).toContain('high')
    expect(new Set(asked)).toEqual(new Set(['Bearer token-1']))
    expect(text).toContain('The commands get the secret HARBOUR_TOKEN, which .npmrc names.')
    expect(text).not.toContain('token-1')
    await expect(build(files)).rejects.toThrow('The install command ended with')
    registry.close()
  })
})

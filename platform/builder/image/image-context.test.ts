import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { baseEnvironment } from '../../kernel/env'
import { GitMirrors } from '../git-mirrors'
import { prepareImageContext } from './image-context'

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-context-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const GRAPH = { 'graph.json': '{"graphs":{"main":"./main.mjs:graph"}}', 'main.mjs': 'export const graph = {}\n' }
const manifest = (more: object = {}) => JSON.stringify({ dependencies: { zod: '4.0.0' }, ...more })
const LOCK = { 'package-lock.json': '{"lockfileVersion":3,"packages":{}}' }

let count = 0
/** Commits these files and prepares the build of their image. */
async function prepared(
  files: Record<string, string>,
  given: { install?: string; build?: string; config?: string; secrets?: { name: string; value: string }[] } = {},
) {
  const place = path.join(folder, String(count++))
  const repository = path.join(place, 'repository')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(repository, name)), { recursive: true })
    writeFileSync(path.join(repository, name), text)
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...args], { cwd: repository })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message=change')
  const lines: string[] = []
  const commits: string[] = []
  await prepareImageContext({
    folder: path.join(place, 'context'),
    secretsFolder: path.join(place, 'secrets'),
    secrets: given.secrets ?? [],
    base: 'registry.example.com/pilothouse-agent:1',
    sourceConfig: { repo_url: repository, install_command: given.install, build_command: given.build },
    sourceRevisionConfig: { repo_ref: 'main', graph_config_path: given.config ?? 'graph.json' },
    env: baseEnvironment(),
    mirrors: new GitMirrors(path.join(place, 'git')),
    signal: AbortSignal.timeout(30_000),
    log: (_level, message) => lines.push(message),
    onCommit: async (commit) => void commits.push(commit),
  })
  const text = readFileSync(path.join(place, 'context/Dockerfile'), 'utf8')
  const plain = text
    .replaceAll(repository, 'https://git.example.com/agents.git')
    .replaceAll(commits[0] ?? '-', 'c0ffee')
  return {
    text: plain,
    /** Without what is the same in all. */
    steps: plain.split('\n').filter((line) => /^(COPY|RUN|WORKDIR)/.test(line)),
    ignored: readFileSync(path.join(place, 'context/.dockerignore'), 'utf8'),
    secrets: Object.fromEntries(
      readdirSync(path.join(place, 'secrets')).map((name) => [
        name,
        readFileSync(path.join(place, 'secrets', name), 'utf8'),
      ]),
    ),
    lines,
  }
}

describe('the Dockerfile of a revision', () => {
  test('installs from the lock file before the source is copied, so that packages are a layer of their own', async () => {
    const { text, ignored } = await prepared({
      ...GRAPH,
      ...LOCK,
      'package.json': manifest({ scripts: { build: 'true' } }),
    })
    expect(text).toMatchInlineSnapshot(`
      "FROM registry.example.com/pilothouse-agent:1
      ARG npm_config_cache="/tmp/pilothouse-packages/npm"
      ARG npm_config_store_dir="/tmp/pilothouse-packages/pnpm"
      ARG pnpm_config_store_dir="/tmp/pilothouse-packages/pnpm"
      ARG YARN_CACHE_FOLDER="/tmp/pilothouse-packages/yarn"
      ARG YARN_GLOBAL_FOLDER="/tmp/pilothouse-packages/yarn-global"
      ARG BUN_INSTALL_CACHE_DIR="/tmp/pilothouse-packages/bun"
      ARG CI="true"
      ARG npm_config_update_notifier="false"
      ARG npm_config_package_import_method="clone-or-copy"
      ARG pnpm_config_package_import_method="clone-or-copy"
      ARG npm_config_manage_package_manager_versions="false"
      ARG npm_config_package_manager_strict="false"
      ARG pnpm_config_manage_package_manager_versions="false"
      ARG pnpm_config_package_manager_strict="false"
      ARG COREPACK_ENABLE_STRICT="0"
      ARG COREPACK_ENABLE_DOWNLOAD_PROMPT="0"
      ARG YARN_ENABLE_TELEMETRY="0"
      ARG YARN_NODE_LINKER="node-modules"
      COPY --chown=1000:1000 ["source/package.json","source/package-lock.json","/deployment/"]
      WORKDIR /deployment
      RUN --mount=type=cache,target=/tmp/pilothouse-packages,uid=1000,gid=1000 unset NODE_ENV; npm ci --no-audit --no-fund
      COPY --chown=1000:1000 source/ /deployment/
      WORKDIR /deployment
      RUN --mount=type=cache,target=/tmp/pilothouse-packages,uid=1000,gid=1000 unset NODE_ENV; npm run build
      WORKDIR /deployment
      LABEL org.opencontainers.image.source="https://git.example.com/agents.git" org.opencontainers.image.revision="c0ffee"
      "
    `)
    expect(ignored).toBe('source/.git\n')
  })

  test('reads the types of graphs once the packages are there', async () => {
    const config = JSON.stringify({ graphs: { typed: './typed.ts:graph' } })
    const files = { ...LOCK, 'package.json': manifest(), "it's.json": config, 'typed.ts': 'export const graph = 1' }
    const { steps } = await prepared(files, { config: "it's.json" })
    expect(steps.at(-1)).toBe(`RUN node /app/.build/agent-server.mjs types 'it'\\''s.json' || true`)
  })

  test('copies a source without packages', async () => {
    const { steps, lines } = await prepared(GRAPH)
    expect(steps).toEqual(['COPY --chown=1000:1000 source/ /deployment/', 'WORKDIR /deployment'])
    expect(lines).toContain("No packages to install; using the platform's.")
  })

  test.each<[string, Record<string, string>]>([
    [
      'runs its own script on install',
      { ...LOCK, 'package.json': manifest({ scripts: { postinstall: 'node a.js' } }) },
    ],
    ['has packages in the source', { ...LOCK, 'package.json': manifest({ dependencies: { a: 'file:./a' } }) }],
    ['is a workspace', { ...LOCK, 'package.json': manifest({ workspaces: ['a'] }) }],
    ['has patches', { ...LOCK, 'package.json': manifest(), 'patches/a.patch': '' }],
  ])('copies everything before the install where the source %s', async (_what, files) => {
    const { steps } = await prepared({ ...GRAPH, ...files })
    expect(steps[0]).toBe('COPY --chown=1000:1000 source/ /deployment/')
    expect(steps.filter((line) => line.startsWith('COPY'))).toHaveLength(1)
  })

  test('runs given commands in their folders, with the history of the repository', async () => {
    const files = { 'apps/a $1/graph.json': GRAPH['graph.json'], 'apps/a $1/main.mjs': GRAPH['main.mjs'] }
    const given = { install: 'git log -1', build: 'node build.js', config: 'apps/a $1/graph.json' }
    const { steps, ignored } = await prepared(files, given)
    const mount = '--mount=type=cache,target=/tmp/pilothouse-packages,uid=1000,gid=1000'
    expect(steps).toEqual([
      'COPY --chown=1000:1000 source/ /deployment/',
      'WORKDIR /deployment',
      `RUN ${mount} unset NODE_ENV; git log -1`,
      'WORKDIR /deployment/apps/a \\$1',
      `RUN ${mount} unset NODE_ENV; node build.js`,
      'WORKDIR /deployment',
    ])
    expect(ignored).toBe('')
  })

  test('gives commands the secrets that the settings of npm name, and no others', async () => {
    const { text, secrets } = await prepared(
      { ...GRAPH, ...LOCK, 'package.json': manifest(), '.npmrc': `//npm.example.com/:_authToken=\${NPM_TOKEN}\n` },
      {
        secrets: [
          { name: 'NPM_TOKEN', value: 'the registry token' },
          { name: 'MODEL_KEY', value: 'the model key' },
        ],
      },
    )
    expect(text).toContain('--mount=type=secret,id=NPM_TOKEN,env=NPM_TOKEN ')
    expect(secrets).toEqual({ NPM_TOKEN: 'the registry token' })
    expect(text).not.toMatch(/MODEL_KEY|the registry token/)
    expect(text).toContain('"source/.npmrc"')
  })
})

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Secret } from '@/lib/contracts/deployments/deployments'
import { baseEnvironment } from '../kernel/env'
import { createRepository } from '../testing/platform-fixture'
import { testFolder } from '../testing/test-folder'
import { buildRevision } from './build'
import { BuildCache } from './build-cache'
import { gitEnvironment } from './git-command'
import { GitMirrors } from './git-mirrors'
import { ToolCopies } from './tool-copies'

const { path: folder, fresh, remove } = testFolder()
afterAll(remove)
const never = new AbortController().signal

/** A repository whose install command counts its runs, and a function that builds it. */
function project(files: Record<string, string> = {}) {
  const repository = createRepository(fresh('source'))
  const ran = fresh('ran')
  const commit = repository.commit({
    'graph.json': '{"graphs":{"main":"./main.mjs:graph"}}',
    'main.mjs': 'export const graph = 1',
    'install.sh': `echo run >> ${ran}; mkdir -p node_modules/dep; date +%N > node_modules/dep/made.txt`,
    ...files,
  })
  const runs = () => (existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n').length : 0)
  return { repository, commit, runs }
}
function build(
  url: string,
  cache: BuildCache,
  more: { install?: string | null; path?: string; commit?: string; secrets?: Secret[] } = {},
) {
  const lines: string[] = []
  // The folder does not exist yet, as for a deployment's first revision.
  const place = path.join(fresh('deployment'), 'revision')
  const done = buildRevision({
    folder: place,
    sourceConfig: { repo_url: url, install_command: more.install === undefined ? 'sh install.sh' : more.install },
    sourceRevisionConfig: {
      repo_ref: 'main',
      graph_config_path: more.path ?? 'graph.json',
      repo_commit_sha: more.commit ?? null,
    },
    env: baseEnvironment(),
    cache,
    mirrors: new GitMirrors(path.join(folder, 'mirrors')),
    tools: new ToolCopies(path.join(folder, 'tools')),
    secrets: more.secrets ?? [],
    signal: never,
    log: (_level, message) => lines.push(message),
    onCommit: async (commit) => void lines.push(`commit ${commit}`),
  })
  return done.then(() => ({ place, text: lines.join('\n') }))
}

describe('the build cache', () => {
  test('an unchanged second build runs no command and gets its own folder', async () => {
    const { repository, commit, runs } = project()
    const cache = new BuildCache(fresh('cache'))
    const first = await build(repository.url, cache)
    const second = await build(repository.url, cache)
    expect(runs()).toBe(1)
    expect(second.text).toMatch(/was built with the same commands[\s\S]*from the build cache in \d+ ms/)
    expect(second.text).toContain(`commit ${commit}`)
    const made = (place: string) => path.join(place, 'node_modules/dep/made.txt')
    expect(readFileSync(made(second.place), 'utf8')).toBe(readFileSync(made(first.place), 'utf8'))
    // Writes of one revision, even to existing files, are invisible to other revisions and later builds.
    writeFileSync(made(second.place), 'mine', { flag: 'r+' })
    const third = await build(repository.url, cache)
    expect(readFileSync(made(third.place), 'utf8')).toBe(readFileSync(made(first.place), 'utf8'))
  })

  test('a different commit, command or configuration file is built again; a failed build is not cached', async () => {
    const { repository, runs } = project({ 'other.json': '{"graphs":{"main":"./main.mjs:graph"}}' })
    const cache = new BuildCache(fresh('cache'))
    await build(repository.url, cache)
    await build(repository.url, cache, { path: 'other.json' })
    await build(repository.url, cache, { install: 'sh ./install.sh' })
    const broken = { install: 'sh install.sh && echo "Error: no tide" && echo later && exit 3' }
    for (let turn = 0; turn < 2; turn += 1)
      await expect(build(repository.url, cache, broken)).rejects.toThrow('ended with 3.\nError: no tide')
    repository.commit({ 'main.mjs': 'export const graph = 2' })
    await build(repository.url, cache)
    expect(runs()).toBe(6)
  })

  test('concurrent identical builds and unfinished or damaged entries do no harm', async () => {
    const { repository } = project()
    const place = fresh('cache')
    const cache = new BuildCache(place)
    await Promise.all([build(repository.url, cache), build(repository.url, cache)])
    mkdirSync(path.join(place, 'draft-left'))
    await cache.clearDrafts()
    const [entry = '', ...others] = readdirSync(place)
    expect(others).toEqual([])
    rmSync(path.join(place, entry, 'tree/node_modules/dep/made.txt'))
    const again = await build(repository.url, cache)
    expect(again.text).toContain('Running the install command')
    expect(existsSync(path.join(again.place, 'node_modules/dep/made.txt'))).toBe(true)
  })

  test('stays within its limits, evicting the least recently used; an expired entry is rebuilt', async () => {
    const { repository, runs } = project()
    const place = fresh('cache')
    const cache = new BuildCache(place, { bytes: 1e9, ageMs: 60_000, entries: 2 })
    const used = (install: string) => build(repository.url, cache, { install })
    await used('sh install.sh && true')
    const [oldest = ''] = readdirSync(place)
    utimesSync(path.join(place, oldest), 1, 1)
    await used('sh install.sh && true && true')
    await used('sh install.sh && true && true && true')
    expect(readdirSync(place)).toHaveLength(2)
    expect(readdirSync(place)).not.toContain(oldest)
    for (const name of readdirSync(place)) {
      const file = path.join(place, name, 'kept.json')
      const kept = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, JSON.stringify({ ...kept, builtAt: '2020-01-01T00:00:00.000Z' }))
    }
    await used('sh install.sh && true && true')
    expect(runs()).toBe(4)
    const tiny = new BuildCache(fresh('cache'), { bytes: 10, ageMs: 60_000, entries: 2 })
    await build(repository.url, tiny)
    expect((await build(repository.url, tiny)).text).toContain('Running the install command')
  })

  test('a folder with an absolute link is not cached, and the log says why', async () => {
    const { repository } = project({ 'install.sh': 'ln -s /usr/share here' })
    const cache = new BuildCache(fresh('cache'))
    expect((await build(repository.url, cache)).text).toMatch(/Not cached for the next build: here is a link to/)
    expect((await build(repository.url, cache)).text).toContain('Running the install command')
  })
})

describe('mirrors of remote repositories', () => {
  const fetchOf = async (mirrors: GitMirrors, url: string, commit?: string) => {
    const env = await gitEnvironment(baseEnvironment())
    return mirrors.fetch({ url, ref: 'refs/heads/main', commit, env, signal: never }, async (_, found) => found)
  }

  test('return the ref’s commit after pushes and force pushes, and a fetched commit while the host is down', async () => {
    const { repository, commit: first } = project()
    const mirrors = new GitMirrors(fresh('mirrors'))
    expect(await fetchOf(mirrors, repository.url)).toBe(first)
    const second = repository.commit({ 'main.mjs': 'two' })
    expect(await fetchOf(mirrors, repository.url)).toBe(second)
    repository.git('reset', '--quiet', '--hard', first)
    const third = repository.commit({ 'main.mjs': 'three' })
    expect(await fetchOf(mirrors, repository.url)).toBe(third)
    repository.git('branch', '-m', 'main', 'away')
    await expect(fetchOf(mirrors, repository.url)).rejects.toThrow("couldn't find remote ref")
    expect(await fetchOf(mirrors, repository.url, second)).toBe(second)
  })

  test('find an older commit in the ref’s history, and report a missing one', async () => {
    const { repository, commit: first } = project()
    for (const text of ['two', 'three']) repository.commit({ 'main.mjs': text })
    const mirrors = new GitMirrors(fresh('mirrors'))
    expect(await fetchOf(mirrors, repository.url, first)).toBe(first)
    const gone = 'a'.repeat(40)
    await expect(fetchOf(mirrors, repository.url, gone)).rejects.toThrow(`Commit ${gone} is no longer in the history`)
  })

  test('serve concurrent builds, and recover from stale locks and unfinished or damaged mirrors', async () => {
    const { repository, commit } = project()
    const place = fresh('mirrors')
    const mirrors = new GitMirrors(place)
    const all = await Promise.all(Array.from({ length: 5 }, () => fetchOf(mirrors, repository.url)))
    expect(new Set(all)).toEqual(new Set([commit]))
    const [name = ''] = readdirSync(place)
    const mirror = path.join(place, name)
    for (const lock of [
      'shallow.lock',
      'config.lock',
      `refs/pilothouse/${readdirSync(path.join(mirror, 'refs/pilothouse'))[0]}.lock`,
    ])
      writeFileSync(path.join(mirror, lock), '')
    const second = repository.commit({ 'main.mjs': 'two' })
    expect(await fetchOf(mirrors, repository.url)).toBe(second)
    rmSync(path.join(mirror, 'HEAD'))
    mkdirSync(`${mirror}.draft`)
    expect(await fetchOf(mirrors, repository.url)).toBe(second)
  })

  test('stay within their limits', async () => {
    const place = fresh('mirrors')
    const old = path.join(place, 'old')
    mkdirSync(old, { recursive: true })
    writeFileSync(path.join(old, 'pack'), 'x')
    symlinkSync('nowhere', path.join(old, 'dangling'))
    utimesSync(old, 1, 1)
    await fetchOf(new GitMirrors(place), project().repository.url)
    expect(existsSync(old)).toBe(false)
  })
})

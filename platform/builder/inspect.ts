import os from 'node:os'
import path from 'node:path'
import type { RepositoryInspection, RepositoryRefs } from '@/lib/contracts/deployments/integrations'
import { parseGraphConfig } from '../agent-server/assistants/config-file'
import { BuildError } from './command'
import { checkRepositoryUrl, fullRef } from './git-address'
import { git, gitEnvironment } from './git-command'
import type { GitMirrors } from './git-mirrors'
import { configNames } from './graph-config'

export type Source = { url: string; ref: string; configPath: string }
type Access = { env: Record<string, string>; mirrors: GitMirrors; signal: AbortSignal }

const EXAMPLES = ['.env.example', '.env.template', '.env.sample']
/** More than any example or configuration file. */
const MOST_BYTES = 200_000
/** `NAME=…`, `export NAME=…`, and as a comment with a name in capitals, which is how examples list optional ones. */
const VARIABLE = /^[ \t]*(?:(?:export[ \t]+)?([A-Za-z_]\w*)|#[ \t]*([A-Z][A-Z0-9_]*))[ \t]*=/gm

/**
 * What a repository says about itself before it is deployed: its graphs, and the environment variables in its example env
 * file. Reads single files of one commit without a working copy. Rejects with a BuildError.
 */
export async function inspectSource(source: Source, { env, mirrors, signal }: Access): Promise<RepositoryInspection> {
  const url = checkRepositoryUrl(source.url)
  const ref = fullRef(source.ref)
  const wanted = inSource(source.configPath)
  return mirrors.fetch({ url, ref, env, signal }, async (mirror, commit) => {
    const quiet = await gitEnvironment(env)
    const run = (...args: string[]) => git(args, { cwd: mirror, env: quiet, signal })
    const read = async (file: string): Promise<string | undefined> => {
      const object = `${commit}:${file}`
      const [size] = await run('cat-file', '-s', object).catch(() => [])
      if (size === undefined || Number(size) > MOST_BYTES) return undefined
      return (await run('cat-file', 'blob', object).catch(() => [])).join('\n')
    }
    const firstOf = async (files: string[]) => {
      for (const file of files) {
        const text = await read(file)
        if (text !== undefined) return { file, text }
      }
      return undefined
    }

    const config = await firstOf(configNames(wanted))
    if (!config) throw new BuildError(`The graph configuration file "${wanted}" does not exist in the source.`)
    const folders = [...new Set([path.posix.dirname(config.file), '.'])]
    const example = await firstOf(folders.flatMap((folder) => EXAMPLES.map((name) => path.posix.join(folder, name))))
    return {
      commit,
      graph_config_path: config.file,
      graphs: graphsOf(config),
      env_example: example ? { path: example.file, variables: variablesOf(example.text) } : null,
    }
  })
}

/** Of each kind; more than a person reads through. */
const MOST_REFS = 1_000

/** The branches and tags of a repository, without fetching it. Rejects with a BuildError. */
export async function listRefs(address: string, { env, signal }: Omit<Access, 'mirrors'>): Promise<RepositoryRefs> {
  const url = checkRepositoryUrl(address)
  const wanted = ['HEAD', 'refs/heads/*', 'refs/tags/*']
  const args = ['ls-remote', '--quiet', '--symref', '--sort=-version:refname', '--', url, ...wanted]
  const lines = await git(args, { cwd: os.tmpdir(), env: await gitEnvironment(env, url), signal })
  const namesIn = (folder: string) =>
    lines.flatMap((line) => {
      const name = line.split('\t')[1] ?? ''
      return name.startsWith(folder) && !name.endsWith('^{}') ? [name.slice(folder.length)] : []
    })
  const first = lines.find((line) => line.startsWith('ref: '))?.slice('ref: refs/heads/'.length, -'\tHEAD'.length)
  const [branches, tags] = [namesIn('refs/heads/').reverse(), namesIn('refs/tags/')]
  branches.sort((a, b) => Number(b === first) - Number(a === first))
  return {
    branches: branches.slice(0, MOST_REFS),
    tags: tags.slice(0, MOST_REFS),
    is_complete: Math.max(branches.length, tags.length) <= MOST_REFS,
  }
}

/** A path in the source; git would search a pathspec with other rules. */
function inSource(file: string): string {
  const normal = path.posix.normalize(file)
  if (path.posix.isAbsolute(normal) || normal.startsWith('..'))
    throw new BuildError(`The graph configuration file "${file}" points outside the source.`)
  return normal
}

function graphsOf({ file, text }: { file: string; text: string }): string[] {
  try {
    return Object.keys(parseGraphConfig(text, file).graphs)
  } catch (error) {
    throw new BuildError((error as Error).message)
  }
}

/** Names in order; one that is also set without a comment is not optional. Values stay here, because they may be secret. */
function variablesOf(text: string): { name: string; is_optional: boolean }[] {
  const found = new Map<string, boolean>()
  for (const [, name, optional] of text.matchAll(VARIABLE)) {
    const key = name ?? optional ?? ''
    found.set(key, (found.get(key) ?? true) && name === undefined)
  }
  return [...found].map(([name, is_optional]) => ({ name, is_optional }))
}

import { access, realpath } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { CONFIG_FILES } from '@/lib/contracts/wire/dialect'
import { type GraphConfig, parseGraphConfig, unappliedKeys } from '../agent-server/assistants/config-file'
import { isTyped } from '../agent-server/assistants/field-types'
import { BuildError } from './command'
import { readRegular } from './manifest'

export type LoadedGraphConfig = {
  /** Absolute path of the configuration file. */
  file: string
  graphs: string[]
  /** The file's `env`; the deployment's secrets take precedence. */
  env: Record<string, string>
  /** The Node.js version that the file requests. */
  nodeVersion: string | undefined
  /** Whether a graph is written in TypeScript. */
  isTyped: boolean
  /** Settings of the file that have no effect, for the deploy log. */
  notes: string[]
}

/** The given path, then the other usual names in the same folder, which are tried if that file is missing. */
export function configNames(configPath: string): string[] {
  const others = (CONFIG_FILES as readonly string[]).includes(path.basename(configPath)) ? CONFIG_FILES : []
  return [...new Set([configPath, ...others.map((name) => path.join(path.dirname(configPath), name))])]
}

async function existing(root: string, configPath: string): Promise<string> {
  for (const candidate of configNames(configPath))
    if (
      await access(path.resolve(root, candidate)).then(
        () => true,
        () => false,
      )
    )
      return candidate
  return configPath
}

const RUNS_HERE = /\.(m|c)?[jt]sx?$/

/**
 * Reads and validates a source folder's graph configuration. Throws a BuildError that names the file; no path in it may
 * leave the folder, through `..` or a link.
 */
export async function readGraphConfig(folder: string, configPath: string): Promise<LoadedGraphConfig> {
  const root = await realpath(folder)
  /** The real path of a file in the source; undefined if it does not exist. */
  const find = async (from: string, file: string, what: string): Promise<string | undefined> => {
    const wanted = path.resolve(from, file)
    const found = await realpath(wanted).catch(() => undefined)
    if (!(found ?? wanted).startsWith(root + path.sep))
      throw new BuildError(`${what} "${file}" points outside the source.`)
    return found
  }
  const inside = async (from: string, file: string, what: string) => {
    const found = await find(from, file, what)
    if (!found) throw new BuildError(`${what} "${file}" does not exist in the source.`)
    return found
  }

  const name = await existing(root, configPath)
  const file = await inside(root, name, 'The graph configuration file')
  const base = path.dirname(file)
  const config = parse(await readRegular(file), name)
  for (const [name, graph] of Object.entries(config.graphs)) {
    const [module = ''] = (typeof graph === 'string' ? graph : graph.path).split(':')
    if (!RUNS_HERE.test(module))
      throw new BuildError(`Graph "${name}": this platform runs JavaScript and TypeScript, not "${module}".`)
    await inside(base, module, `Graph "${name}": the file`)
  }
  const notes = unappliedKeys(config)
  return {
    file,
    graphs: Object.keys(config.graphs),
    env: await readEnv(config.env),
    nodeVersion: config.node_version?.toString(),
    isTyped: Object.values(config.graphs).some(isTyped),
    notes,
  }

  async function readEnv(env: GraphConfig['env']): Promise<Record<string, string>> {
    if (Array.isArray(env)) notes.push(`Set the variables ${env.join(', ')} as secrets of the deployment.`)
    if (typeof env !== 'string') return Array.isArray(env) ? {} : { ...env }
    const found = await find(base, env, 'The env file')
    if (found) return parseEnv(await readRegular(found)) as Record<string, string>
    notes.push(`The env file "${env}" is not in the source. Set its variables as secrets of the deployment.`)
    return {}
  }
}

function parse(text: string, name: string): GraphConfig {
  try {
    return parseGraphConfig(text, name)
  } catch (error) {
    throw new BuildError((error as Error).message)
  }
}

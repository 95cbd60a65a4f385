import { access, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { CONFIG_FILES } from '@/lib/contracts/wire/dialect'
import { BuildError } from './command'

const GraphPath = z.string().regex(/^[^:]+(:[^:]+)?$/, 'expected "./file.mjs:export"')
const GraphConfig = z.looseObject({
  graphs: z
    .record(z.string().min(1), z.union([GraphPath, z.looseObject({ path: GraphPath })]))
    .refine((graphs) => Object.keys(graphs).length > 0, 'names no graph'),
  env: z.union([z.string(), z.record(z.string(), z.coerce.string()), z.array(z.string())]).optional(),
})

export type LoadedGraphConfig = {
  /** Absolute path of the configuration file. */
  file: string
  graphs: string[]
  /** The file's `env`; the deployment's secrets take precedence. */
  env: Record<string, string>
}

/** The given path, or if that file is missing, a file with another usual name in the same folder. */
async function existing(root: string, configPath: string): Promise<string> {
  const others = (CONFIG_FILES as readonly string[]).includes(path.basename(configPath)) ? CONFIG_FILES : []
  for (const candidate of [configPath, ...others.map((name) => path.join(path.dirname(configPath), name))])
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
 * Reads and validates the graph configuration of a source folder. Every problem is a BuildError that names the file; no
 * path in it may leave the folder, whether through `..` or a link.
 */
export async function readGraphConfig(folder: string, configPath: string): Promise<LoadedGraphConfig> {
  const root = await realpath(folder)
  const inside = async (from: string, file: string, what: string) => {
    const target = await realpath(path.resolve(from, file)).catch(() => {
      throw new BuildError(`${what} "${file}" does not exist in the source.`)
    })
    if (!target.startsWith(root + path.sep)) throw new BuildError(`${what} "${file}" leads out of the source.`)
    return target
  }

  const name = await existing(root, configPath)
  const file = await inside(root, name, 'The graph configuration file')
  const base = path.dirname(file)
  let json: unknown
  try {
    json = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new BuildError(`${name} is not valid JSON: ${(error as Error).message}`)
  }
  const parsed = GraphConfig.safeParse(json)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`)
    throw new BuildError(`${name} is not a graph configuration: ${problems.join('; ')}`)
  }

  for (const [name, graph] of Object.entries(parsed.data.graphs)) {
    const [module = ''] = (typeof graph === 'string' ? graph : graph.path).split(':')
    if (!RUNS_HERE.test(module))
      throw new BuildError(`Graph "${name}": this platform runs JavaScript and TypeScript, not "${module}".`)
    await inside(base, module, `Graph "${name}": the file`)
  }
  return { file, graphs: Object.keys(parsed.data.graphs), env: await readEnv(parsed.data.env) }

  async function readEnv(env: z.output<typeof GraphConfig>['env']): Promise<Record<string, string>> {
    if (typeof env !== 'string') return Array.isArray(env) ? {} : { ...env }
    return parseEnv(await readFile(await inside(base, env, 'The env file'), 'utf8')) as Record<string, string>
  }
}

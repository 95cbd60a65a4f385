import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Pregel } from '@langchain/langgraph/pregel'
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint'
import { HttpError, stackOf } from '../kernel/errors'
import { toDoubles } from '../kernel/numbers'
import { type GraphConfig, parseGraphConfig } from './config-file'
import { FIELD_TYPES_FILE, FieldTypes, type GraphTypes } from './field-types'
import { loadExport, placeOf } from './load-export'
import { copyOldGraph, isOldGraph, refuseOldRuntime, runtimeFor } from './older-runtime'
import { type Packet, packetOf } from './packets'
import { guardNodes } from './thrown-values'

/** A compiled graph, whatever its nodes and channels are. */
// The library's own "any graph": the type parameters only help authors of graphs.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Graph = Pregel<any, any>

/** One graph cannot be loaded; `graph` is absent where the configuration file is at fault. */
export class GraphLoadError extends Error {
  override name = 'GraphLoadError'
  constructor(
    readonly graph: string | undefined,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Why a factory is called, under the names other servers use, so that graphs stay portable. */
export type Access = 'threads.create_run' | 'threads.read' | 'threads.update' | 'assistants.read'

/** Where the graphs of a deployment store data: the state of threads, and the store that all threads share. */
type Memory = { saver: BaseCheckpointSaver; store: BaseStore }

type Factory = (config: object, runtime: object) => unknown
type Loaded = {
  description: string | undefined
  types: GraphTypes | undefined
  /** The version of the runtime it is built with; undefined if it is this server's own. */
  version: string | undefined
  make: (config: object, access: Access, context: unknown) => Promise<Graph>
  packet: () => Promise<Packet>
}

/** The graphs of one configuration file, each loaded, validated and drawn. */
export class Graphs {
  private constructor(private readonly loaded: ReadonlyMap<string, Loaded>) {}

  /** Paths are relative to `folder`. Rejects with a GraphLoadError for the first unusable graph. */
  static async load(graphs: GraphConfig['graphs'], folder: string, memory: Memory): Promise<Graphs> {
    const loaded = new Map<string, Loaded>()
    const types = await readTypes(folder)
    for (const [name, given] of Object.entries(graphs)) {
      const { path: place, description } = typeof given === 'string' ? { path: given } : given
      const { file, exportName } = placeOf(place, folder)
      try {
        const runtime = await runtimeFor(file)
        const version = runtime?.manifest.version
        refuseOldRuntime(version)
        const make = await loadGraph(file, exportName, memory, version)
        const graph = await make({ configurable: {} }, 'assistants.read', undefined)
        await graph.getGraphAsync({})
        let found: Promise<Packet> | undefined
        const packet = () => (found ??= packetOf(graph, runtime))
        loaded.set(name, { description: description ?? undefined, types: types[name], version, make, packet })
      } catch (error) {
        throw new GraphLoadError(name, error instanceof Error ? error.message : String(error), stackOf(error))
      }
    }
    return new Graphs(loaded)
  }

  get ids(): string[] {
    return [...this.loaded.keys()]
  }

  has(graphId: string): boolean {
    return this.loaded.has(graphId)
  }

  descriptionOf(graphId: string): string | undefined {
    return this.loaded.get(graphId)?.description
  }

  /** What a build read of the source's types. */
  typesOf(graphId: string): GraphTypes | undefined {
    return this.loaded.get(graphId)?.types
  }

  /** The versions of the runtime that the graphs are built with; `own` is this server's. */
  runtimes(own: string): string[] {
    return [...new Set([...this.loaded.values()].map(({ version }) => version ?? own))]
  }

  /** How a command to this graph names a node with its own input. */
  packetOf(graphId: string): Promise<Packet> {
    return this.#found(graphId).packet()
  }

  /** The graph built for `config`, with this server's checkpointer. Throws a 404 for an unknown graph. */
  get(graphId: string, access: Access, config: object = { configurable: {} }, context?: unknown): Promise<Graph> {
    return this.#found(graphId).make(toDoubles(config), access, toDoubles(context))
  }

  #found(graphId: string): Loaded {
    const found = this.loaded.get(graphId)
    if (found) return found
    throw new HttpError(404, `Graph ${graphId} not found. This deployment has: ${this.ids.join(', ') || 'none'}.`)
  }
}

/** Without a readable file, forms have fewer types. */
async function readTypes(folder: string): Promise<FieldTypes> {
  const text = await readFile(path.join(folder, FIELD_TYPES_FILE), 'utf8').catch(() => '{}')
  try {
    return FieldTypes.parse(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Rejects with a GraphLoadError that says what is wrong in an unusable file. */
export async function readConfig(file: string): Promise<GraphConfig> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new GraphLoadError(undefined, `${file} cannot be read: ${error.message}`)
  })
  try {
    return parseGraphConfig(text, file)
  } catch (error) {
    throw new GraphLoadError(undefined, (error as Error).message)
  }
}

async function loadGraph(
  file: string,
  exportName: string,
  memory: Memory,
  version: string | undefined,
): Promise<Loaded['make']> {
  const found = await loadExport(file, exportName)
  const finish = (value: unknown): Graph => {
    // Set on a copy, because the author's object may be part of another graph.
    const original = asGraph(value, exportName, version)
    const graph = isOldGraph(original, version) ? copyOldGraph(original) : (original.withConfig({}) as Graph)
    graph.checkpointer = memory.saver
    graph.store = memory.store
    guardNodes(graph)
    return graph
  }
  if (typeof found === 'function' && !isGraph(found, version)) {
    const factory = found as Factory
    return async (config, access, context) => {
      const executionRuntime = access === 'threads.create_run' ? { context } : null
      return finish(await factory(config, { accessContext: access, executionRuntime }))
    }
  }
  const graph = finish(await found)
  return async () => graph
}

const METHODS = ['stream', 'getState', 'getGraphAsync', 'withConfig']

function isGraph(value: unknown, version: string | undefined): value is Graph {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  const isCurrent = METHODS.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')
  return isCurrent || isOldGraph(value, version)
}

/** The compiled graph from any accepted form: compiled, a builder, or an agent wrapper. */
function asGraph(value: unknown, name: string, version: string | undefined): Graph {
  const inner = (value as { graph?: unknown } | null)?.graph
  if (isGraph(inner, version)) return inner
  if (isGraph(value, version)) return value
  const compile = (value as { compile?: unknown } | null)?.compile
  if (typeof compile === 'function') return asGraph((compile as () => unknown).call(value), name, version)
  throw new Error(
    `The export "${name}" is not a graph: expected a compiled graph, a builder, or a function that returns one.`,
  )
}

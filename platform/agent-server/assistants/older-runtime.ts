import { readFile } from 'node:fs/promises'
import path from 'node:path'

const PACKAGE = '@langchain/langgraph'
/** The oldest runtime that passes `scripts/checks/try-runtimes.mjs`. */
const OLDEST = '0.2.2'

type OldGraph = {
  getGraph(config?: object): { toJSON(): object }
  getSubgraphs?(namespace?: string, recurse?: boolean): Iterable<[string, unknown]>
  _streamIterator(input: unknown, options: StreamOptions): AsyncIterable<unknown>
}
type StreamOptions = { streamMode: string[]; interruptBefore?: unknown; interruptAfter?: unknown }

/** A mode that no runtime has. */
const NO_MODE = 'none'

/** Whether a value is a graph of a runtime before 0.2.36, some of which lack methods that this server calls. */
export const isOldGraph = (value: object, version: string | undefined): boolean =>
  version !== undefined &&
  isOlder(version, '0.2.36') &&
  ['getGraph', 'getState', '_streamIterator'].every((method) => method in value)

/** A copy of such a graph that behaves like one of a current runtime. The official templates pin such old runtimes. */
export function copyOldGraph<Graph extends object>(graph: Graph): Graph {
  const old = graph as unknown as OldGraph
  const copyWith = (more: object): Graph => Object.assign(Object.create(Object.getPrototypeOf(graph)), graph, more)
  const copy = copyWith({
    ...(!('getGraphAsync' in graph) && { getGraphAsync: async (config?: object) => old.getGraph(config) }),
    ...(!('getSubgraphsAsync' in graph) && {
      async *getSubgraphsAsync(namespace?: string, recurse?: boolean) {
        yield* old.getSubgraphs?.(namespace, recurse) ?? []
      },
    }),
    _streamIterator(input: unknown, { interruptBefore, interruptAfter, ...options }: StreamOptions) {
      // They ignore these two options, but read the graph's own.
      const stops = { ...(interruptBefore ? { interruptBefore } : {}), ...(interruptAfter ? { interruptAfter } : {}) }
      const subject = Object.assign(Object.create(Object.getPrototypeOf(copy)), copy, stops)
      // With a single mode, their payloads have no mode name.
      const streamMode = [...options.streamMode, NO_MODE, NO_MODE]
      return old._streamIterator.call(subject, input, { ...options, streamMode })
    },
  })
  return copy
}

type Target = string | { default?: string }
export type RuntimePackage = {
  folder: string
  manifest: { version: string; exports?: Record<string, { import?: Target; require?: Target }> }
}

/** The runtime that a file imports; undefined if it is this server's own. */
export async function runtimeFor(file: string): Promise<RuntimePackage | undefined> {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', PACKAGE)
    const text = await readFile(path.join(found, 'package.json'), 'utf8').catch(() => undefined)
    if (text !== undefined) return { folder: found, manifest: JSON.parse(text) as RuntimePackage['manifest'] }
    if (folder === path.dirname(folder)) return undefined
  }
}

/** Throws an Error with a remedy if a graph was built with a runtime that this server cannot use. */
export function refuseOldRuntime(version: string | undefined): void {
  if (version !== undefined && isOlder(version, OLDEST))
    throw new Error(
      `It is built with ${PACKAGE} ${version}; this server needs ${OLDEST} or newer. Update it with npm install ${PACKAGE}@latest @langchain/core@latest, or the same with the package manager of the source.`,
    )
}

function isOlder(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)))
  const at = a?.findIndex((part, index) => part !== b?.[index]) ?? -1
  return at !== -1 && (a?.[at] ?? 0) < (b?.[at] ?? 0)
}

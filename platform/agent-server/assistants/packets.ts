import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Send } from '@langchain/langgraph'
import type { RuntimePackage } from './older-runtime'

/** The class of a packet: a node with its own input. */
export type Packet = typeof Send
type Copy = { Send?: Packet; CompiledStateGraph?: new () => unknown }

/**
 * The class of packets of the copy of the runtime that a graph is built with: each copy refuses those of others, and a
 * package has two, for ES modules and for CommonJS. A graph that contains the runtime itself gets this server's.
 */
export async function packetOf(graph: object, runtime: RuntimePackage | undefined): Promise<Packet> {
  for (const entry of entriesOf(runtime)) {
    const file = await realpath(path.join(runtime?.folder ?? '', entry))
    const { Send: found, CompiledStateGraph: Kind } = (await import(
      /* @vite-ignore */ pathToFileURL(file).href
    )) as Copy
    if (found && Kind && graph instanceof Kind) return found
  }
  return Send
}

/** Conditions of Node, in the order in which a graph most likely used them. */
function entriesOf(runtime: RuntimePackage | undefined): string[] {
  const main = runtime?.manifest.exports?.['.']
  return [main?.import, main?.require].flatMap((target) => {
    const file = typeof target === 'string' ? target : target?.default
    return file === undefined ? [] : [file]
  })
}

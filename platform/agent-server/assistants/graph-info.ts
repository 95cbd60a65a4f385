import type { RunnableConfig } from '@langchain/core/runnables'
import { interopSafeParseAsync, isInteropZodObject } from '@langchain/core/utils/types'
import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getStateTypeSchema,
  getUpdateTypeSchema,
} from '@langchain/langgraph/zod/schema'
import type { z } from 'zod'
import { toValidationError } from '@/lib/contracts/wire/http-validation-error'
import { HttpError } from '../kernel/errors'
import { toDoubles } from '../kernel/numbers'
import type { Graph } from './graphs'

/** Information about a graph that needs no run. */

/** JSON Schemas of what is declared with zod or as a StateSchema; null where only TypeScript types exist. Never throws. */
export function describeSchemas(graph: Graph, graphId: string) {
  const contextSchema = read(() => getConfigTypeSchema(graph))
  return {
    graph_id: graphId,
    input_schema: read(() => getInputTypeSchema(graph) ?? getUpdateTypeSchema(graph)),
    output_schema: read(() => getOutputTypeSchema(graph) ?? getStateTypeSchema(graph)),
    state_schema: read(() => getStateTypeSchema(graph)),
    config_schema: contextSchema,
    context_schema: contextSchema,
  }
}

// A schema with a transform or a custom type has no JSON form; the other schemas are still returned.
function read(schema: () => unknown): unknown {
  try {
    return schema() ?? null
  } catch {
    return null
  }
}

/** Nodes and edges; `xray` includes subgraphs, to the depth that it gives. */
export async function drawGraph(graph: Graph, xray: boolean | number) {
  const options: RunnableConfig & { xray: boolean | number } = { xray }
  const drawing = (await graph.getGraphAsync(options)).toJSON() as {
    nodes: { id: string; type?: string; data?: { name?: string } | string; metadata?: unknown }[]
    edges: { source: string; target: string; data?: string; conditional?: boolean }[]
  }
  return {
    nodes: drawing.nodes.map(({ id, type, data, metadata }) => ({
      id,
      type,
      // The node's class is internal to the library.
      data: typeof data === 'object' ? { name: data.name ?? id } : data,
      ...(metadata !== undefined && { metadata }),
    })),
    edges: drawing.edges,
  }
}

/** Schemas of the subgraphs by namespace; all of them, or the one of `namespace`. */
export async function describeSubgraphs(
  graph: Graph,
  graphId: string,
  namespace: string | undefined,
  recurse: boolean,
) {
  const found: Record<string, unknown> = {}
  for await (const [name, subgraph] of graph.getSubgraphsAsync(namespace, recurse))
    found[name] = { ...describeSchemas(subgraph as unknown as Graph, graphId) }
  return found
}

/**
 * Throws a 422 for a context that the graph's schema rejects. Its defaults are not applied, because graphs are written
 * for a runtime that leaves them out.
 */
export async function checkContext(graph: Graph, context: unknown): Promise<void> {
  const schema = (graph as { builder?: { _configRuntimeSchema?: unknown } }).builder?._configRuntimeSchema
  if (!isInteropZodObject(schema)) return
  const parsed = await interopSafeParseAsync(schema, toDoubles(context))
  if (parsed.success) return
  // The graph may bring its own copy of zod, whose issues have the same shape.
  const issues = (parsed.error as unknown as { issues: z.core.$ZodIssue[] }).issues
  const error = { issues: issues.map((issue) => ({ ...issue, path: ['context', ...issue.path] })) }
  throw new HttpError(422, toValidationError(error as unknown as z.core.$ZodError, 'body').detail)
}

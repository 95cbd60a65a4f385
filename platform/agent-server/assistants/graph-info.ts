import type { RunnableConfig } from '@langchain/core/runnables'
import { getInteropZodObjectShape, interopSafeParseAsync, isInteropZodObject } from '@langchain/core/utils/types'
import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getStateTypeSchema,
  getUpdateTypeSchema,
} from '@langchain/langgraph/zod/schema'
import type { z } from 'zod'
import { toValidationError } from '@/lib/contracts/wire/http-validation-error'
import { isRecord } from '@/lib/json/guards'
import { HttpError } from '../kernel/errors'
import { toDoubles } from '../kernel/numbers'
import { MESSAGES } from './field-schemas'
import type { GraphTypes } from './field-types'
import type { Graph } from './graphs'

/** Information about a graph that needs no run. */

/**
 * JSON Schemas of what is declared with zod or as a StateSchema. Where only TypeScript types exist, they name the fields;
 * `types` says what a build read of them, and the other fields stay open. Never throws.
 */
export function describeSchemas(graph: Graph, graphId: string, types: GraphTypes = {}) {
  const contextSchema = read(() => getConfigTypeSchema(graph)) ?? (types.context && objectOf(types.context))
  const state = read(() => getStateTypeSchema(graph))
  const input = read(() => getInputTypeSchema(graph) ?? getUpdateTypeSchema(graph))
  const output = read(() => getOutputTypeSchema(graph))
  return {
    graph_id: graphId,
    input_schema: whole(input, fieldsOf(graph, '_inputDefinition', { ...types.state, ...types.input })),
    output_schema: whole(output ?? state, fieldsOf(graph, '_outputDefinition', types.state)),
    state_schema: whole(state, fieldsOf(graph, '_schemaDefinition', types.state)),
    config_schema: contextSchema ?? null,
    context_schema: contextSchema ?? null,
  }
}

type Definition = '_inputDefinition' | '_outputDefinition' | '_schemaDefinition'
type Built = { builder?: Partial<Record<Definition, Record<string, { operator?: { name?: string } }>>> }
const objectOf = (properties: Record<string, object>): { type: string; properties: Record<string, object> } => ({
  type: 'object',
  properties,
})

type Fields = ReturnType<typeof objectOf>

/** A schema with the fields that it leaves out: the runtime skips those without a JSON form, such as an agent's `todos`. */
function whole(schema: unknown, fields: Fields | null): unknown {
  if (!isRecord(schema) || !isRecord(schema.properties) || !fields) return schema ?? fields
  return { ...schema, properties: { ...fields.properties, ...schema.properties } }
}

/** The fields of a state as far as its types tell; null if the graph is not built from a state. */
function fieldsOf(graph: unknown, definition: Definition, types: GraphTypes['state']): Fields | null {
  // An agent of the agents package holds its graph.
  const fields = ((graph as Built).builder ?? (graph as { graph?: Built }).graph?.builder)?.[definition]
  if (!fields) return null
  const isMessages = (name: string) => /^messages\w*Reducer$/.test(fields[name]?.operator?.name ?? '')
  const properties = Object.keys(fields).map((name) => [name, isMessages(name) ? MESSAGES : (types?.[name] ?? {})])
  return objectOf(Object.fromEntries(properties))
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

const contextSchemaOf = (graph: Graph): unknown =>
  (graph as { builder?: { _configRuntimeSchema?: unknown } }).builder?._configRuntimeSchema

/** Those of the values that the graph's context can have: all, unless its schema names them. */
export function contextIn(graph: Graph, values: Record<string, unknown>): Record<string, unknown> {
  const schema = contextSchemaOf(graph)
  if (!isInteropZodObject(schema)) return values
  const shape = getInteropZodObjectShape(schema)
  return Object.fromEntries(Object.entries(values).filter(([key]) => Object.hasOwn(shape, key)))
}

/**
 * Throws a 422 for a context that the graph's schema rejects. Its defaults are not applied, because graphs are written
 * for a runtime that leaves them out.
 */
export async function checkContext(graph: Graph, context: unknown): Promise<void> {
  const schema = contextSchemaOf(graph)
  if (!isInteropZodObject(schema)) return
  const parsed = await interopSafeParseAsync(schema, toDoubles(context))
  if (parsed.success) return
  // The graph may bring its own copy of zod, whose issues have the same shape.
  const issues = (parsed.error as unknown as { issues: z.core.$ZodIssue[] }).issues
  const error = { issues: issues.map((issue) => ({ ...issue, path: ['context', ...issue.path] })) }
  throw new HttpError(422, toValidationError(error as unknown as z.core.$ZodError, 'body').detail)
}

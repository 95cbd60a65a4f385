import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { isUuid } from '@/lib/json/guards'
import type { AssistantRow, Assistants } from '../assistants/assistants'
import { defaultAssistantId } from '../assistants/assistants'
import { describeSchemas } from '../assistants/graph-info'
import type { Graphs } from '../assistants/graphs'
import type { Conditions } from '../kernel/conditions'

type Json = Record<string, unknown>

const PAGE = 50
/** Clients that hand tools to models refuse longer names and other characters. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const NO_ARGUMENTS_KNOWN: Tool['inputSchema'] = { type: 'object', additionalProperties: true }
const MESSAGES = {
  type: 'array',
  description: 'The conversation; the last message is the one to answer',
  items: {
    type: 'object',
    properties: {
      role: { type: 'string', enum: ['user', 'assistant', 'system'] },
      content: { type: 'string' },
    },
    required: ['role', 'content'],
  },
}

/** A cursor that `tools/list` did not return. */
export class CursorError extends Error {
  override name = 'CursorError'
}

/** Assistants as tools. Tool names derive from the assistant, so no mapping has to be stored. */
export class McpTools {
  readonly #schemas = new Map<string, Promise<Tool['inputSchema']>>()

  constructor(
    private readonly assistants: Assistants,
    private readonly graphs: Graphs,
  ) {}

  /** The default assistants of all graphs first. Throws a CursorError. */
  async list(cursor: string | undefined, only?: Conditions): Promise<{ tools: Tool[]; nextCursor?: string }> {
    const rows = await this.assistants.page(cursor === undefined ? undefined : readCursor(cursor), PAGE + 1, only)
    const shown = rows.slice(0, PAGE)
    const tools = await Promise.all(shown.map((row) => this.#describe(row)))
    const last = shown.at(-1)
    return { tools, ...(rows.length > PAGE && last && { nextCursor: writeCursor(last.assistant_id) }) }
  }

  /** The assistant for a tool name; undefined if there is none. */
  async find(
    name: string,
    allow: (assistantId: string) => Promise<Conditions> | undefined = () => undefined,
  ): Promise<AssistantRow | undefined> {
    const prefix = /(?:^|_)([0-9a-f]{8})$/.exec(name)?.[1]
    const candidates = [
      ...(this.graphs.has(name) ? [await this.assistants.get(name)] : []),
      ...(prefix ? await this.assistants.startingWith(prefix) : []),
    ]
    const found = candidates.find((row) => toolName(row) === name)
    if (found) await this.assistants.check(found.assistant_id, await allow(found.assistant_id))
    return found
  }

  /** Names of the fields of a graph's input; undefined if unknown. */
  async inputFields(graphId: string): Promise<readonly string[] | undefined> {
    const { properties } = await this.#inputSchema(graphId)
    return properties && Object.keys(properties)
  }

  async #describe(row: AssistantRow): Promise<Tool> {
    return {
      name: toolName(row),
      title: row.name,
      description: row.description ?? `Runs the agent "${row.name}" (graph ${row.graph_id}) to its end.`,
      inputSchema: await this.#inputSchema(row.graph_id),
    }
  }

  #inputSchema(graphId: string): Promise<Tool['inputSchema']> {
    const known = this.#schemas.get(graphId)
    if (known) return known
    const schema = this.graphs
      .get(graphId, 'assistants.read')
      .then((graph) => toolSchema(describeSchemas(graph, graphId, this.graphs.typesOf(graphId)).input_schema))
      .catch(() => NO_ARGUMENTS_KNOWN)
    this.#schemas.set(graphId, schema)
    return schema
  }
}

/** A default assistant uses its graph's name; others include the start of their id, since names repeat. */
export function toolName({ assistant_id, graph_id, name }: Pick<AssistantRow, 'assistant_id' | 'graph_id' | 'name'>) {
  const isDefault = assistant_id === defaultAssistantId(graph_id)
  if (isDefault && NAME.test(graph_id)) return graph_id
  const base = (isDefault ? graph_id : name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/^[_-]+|[_-]+$/g, '')
    .slice(0, 55)
  return [...(base ? [base] : ['agent']), assistant_id.slice(0, 8)].join('_')
}

/** The schema of a graph's input in a form that every client understands: an object with only its properties. */
export function toolSchema(schema: unknown): Tool['inputSchema'] {
  const { type, properties, required, $defs, description } = (schema ?? {}) as Json
  if (type !== 'object' || typeof properties !== 'object' || properties === null) return NO_ARGUMENTS_KNOWN
  return {
    type: 'object',
    ...(typeof description === 'string' && { description }),
    properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, propertySchema(value)])),
    ...(Array.isArray(required) && required.length > 0 && { required: required as string[] }),
    ...($defs !== undefined && { $defs }),
  }
}

function propertySchema(schema: unknown): object {
  // `true` is a valid schema, but not all clients accept it.
  if (typeof schema !== 'object' || schema === null) return {}
  return isMessages(schema) ? MESSAGES : schema
}

/** The runtime marks the list of messages; its items are classes, which have no schema. */
const isMessages = (schema: object): boolean =>
  Object.entries(schema).some(([key, value]) => key.endsWith('graph_type') && value === 'messages')

const writeCursor = (id: string) => Buffer.from(id).toString('base64url')

function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (!isUuid(id)) throw new CursorError('The cursor is invalid.')
  return id
}

import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import type { RowSchemas } from '@/lib/contracts/wire/api'
import { type OperationId, RPC_IDS } from './handler-types'
import { EXAMPLES } from './openapi-examples'

type Json = Record<string, unknown>

const problem = (description: string) => ({
  description,
  content: jsonOf({ $ref: '#/components/schemas/Problem' }),
})
const NOT_FOUND = { '404': problem('There is no such record') }
const INVALID = { '422': problem('The request is not valid') }
const BODY_ERRORS = {
  '413': problem('The body is larger than 25 MB'),
}

const TAGS: [RegExp, string][] = [
  [/^\/assistants/, 'Assistants'],
  [/\/runs\/crons/, 'Crons'],
  [/^\/threads\/\{thread_id\}\/runs/, 'Thread runs'],
  [/^\/threads/, 'Threads'],
  [/^\/runs/, 'Stateless runs'],
  [/^\/store/, 'Store'],
  [/^\/a2a|agent-card/, 'A2A'],
  [/^\/mcp/, 'MCP'],
]

type ApiOptions = {
  version: string
  /** Address at which the caller reached this server. */
  base: string
}

/** The OpenAPI document, built from the operation table alone. */
export function describeApi({ version, base }: ApiOptions): Json {
  const paths: Record<string, Json> = {}
  const shared: Record<string, Json> = {}
  for (const row of Object.values(agentServer)) {
    const id = row.id as OperationId
    paths[row.path] = {
      ...paths[row.path],
      [row.method.toLowerCase()]: describeRow(row, agentServerSchemas[id], shared),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent server',
      version,
      description:
        'Assistants, threads and runs of one deployment. Streams are server-sent events; every error has a `detail`.',
    },
    servers: [{ url: base }],
    tags: [...new Set(TAGS.map(([, name]) => name)), 'System'].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
      schemas: {
        Problem: {
          type: 'object',
          required: ['detail'],
          properties: {
            detail: {
              description: 'A sentence, or the fields that are not valid',
              anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/components/schemas/FieldProblem' } }],
            },
            message: { description: 'The fields that are not valid, in one sentence each', type: 'string' },
          },
        },
        FieldProblem: {
          type: 'object',
          required: ['loc', 'msg', 'type'],
          properties: {
            loc: { type: 'array', items: { type: ['string', 'integer'] } },
            msg: { type: 'string' },
            type: { type: 'string' },
          },
        },
        ...shared,
      },
    },
    security: [{ ApiKey: [] }],
  }
}

function describeRow(row: (typeof agentServer)[OperationId], schemas: RowSchemas, shared: Record<string, Json>): Json {
  const toSchema = (schema: z.ZodType, place: string) => schemaOf(schema, `${row.id}_${place}`, shared)
  const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = schemas.query && toSchema(schemas.query, 'query')
  const inQuery = Object.entries((query?.properties as Json | undefined) ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: ((query?.required as string[] | undefined) ?? []).includes(name),
    schema,
  }))
  const resumes = row.method === 'GET' && row.response === 'stream' ? [LAST_EVENT_ID] : []
  const parameters = [...inPath, ...inQuery, ...resumes]
  return {
    operationId: row.id,
    summary: row.id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    tags: [TAGS.find(([pattern]) => pattern.test(row.path))?.[1] ?? 'System'],
    ...(parameters.length > 0 && { parameters }),
    ...(schemas.body && {
      requestBody: { required: true, content: jsonOf(toSchema(schemas.body, 'body'), EXAMPLES[row.id as OperationId]) },
    }),
    responses: {
      ...successOf(row, schemas, toSchema),
      ...(inPath.length > 0 && NOT_FOUND),
      ...((schemas.body || schemas.query) && INVALID),
      ...(schemas.body && BODY_ERRORS),
    },
  }
}

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Continues after this event; `-1` replays from the start. Only for runs whose events are kept.',
  schema: { type: 'string' },
}

const DONE = { '204': { description: 'Done' } }
/** These have no answer here; other servers send one, which is read. */
const WITHOUT_ANSWER = ['deleteThread', 'deleteRun', 'deleteCron', 'cancelRuns'] as string[]

function successOf(
  row: (typeof agentServer)[OperationId],
  schemas: RowSchemas,
  toSchema: (schema: z.ZodType, place: string) => Json,
): Json {
  if (row.id === 'cancelRun') return { '202': { description: 'Asked to stop' }, ...DONE }
  if (row.response === 'none' || WITHOUT_ANSWER.includes(row.id)) return DONE
  const text = { schema: { type: 'string' } }
  const content =
    row.response === 'stream'
      ? { 'text/event-stream': text }
      : row.response === 'text'
        ? { [row.id === 'getDocs' ? 'text/html' : 'text/plain']: text }
        : {
            ...jsonOf(toSchema(schemas.response, 'response')),
            ...((RPC_IDS as readonly string[]).includes(row.id) && { 'text/event-stream': text }),
          }
  return { '200': { description: 'Success', content } }
}

/**
 * A schema as JSON Schema; rules that it cannot express are omitted, fields never are. Its own definitions
 * become shared ones under `name`, because references resolve from the root of the document.
 */
function schemaOf(schema: z.ZodType, name: string, shared: Record<string, Json>): Json {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json
  const isRecursive = JSON.stringify(json).includes('"$ref":"#"')
  if (!$defs && !isRecursive) return json
  const moved = (value: unknown): Json =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('"#/$defs/', `"#/components/schemas/${name}_`)
        .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`),
    ) as Json
  for (const [key, definition] of Object.entries($defs ?? {})) shared[`${name}_${key}`] = moved(definition)
  if (!isRecursive) return moved(json)
  shared[name] = moved(json)
  return { $ref: `#/components/schemas/${name}` }
}

function jsonOf(schema: Json, examples?: Record<string, unknown>): Json {
  return {
    'application/json': {
      schema,
      ...(examples && {
        examples: Object.fromEntries(
          Object.entries(examples).map(([summary, value], index) => [`example${index + 1}`, { summary, value }]),
        ),
      }),
    },
  }
}

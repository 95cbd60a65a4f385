import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import type { RowSchemas } from '@/lib/contracts/api'
import type { OperationId } from './handlers'

type Json = Record<string, unknown>

/** What custom rules of the schemas cannot say is left open; nothing is left out for it. */
const toSchema = (schema: z.ZodType): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json
  return json
}

const ERRORS = {
  '404': { description: 'Not found', content: jsonOf({ $ref: '#/components/schemas/Problem' }) },
  '422': { description: 'The request is not valid', content: jsonOf({ $ref: '#/components/schemas/Problem' }) },
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

/** The description of this server, from the operation table alone. `isAbsent` leaves out what it does not have. */
export function describeApi(version: string, isAbsent: (id: OperationId) => boolean): Json {
  const paths: Record<string, Json> = {}
  for (const row of Object.values(agentServer)) {
    const id = row.id as OperationId
    if (isAbsent(id)) continue
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: describeRow(row, agentServerSchemas[id]) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Agent server', version },
    paths,
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
      schemas: {
        Problem: {
          type: 'object',
          required: ['detail'],
          properties: { detail: { description: 'A sentence, or the fields that are not valid (loc, msg, type)' } },
        },
      },
    },
    security: [{ ApiKey: [] }],
  }
}

function describeRow(row: (typeof agentServer)[OperationId], schemas: RowSchemas): Json {
  const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = schemas.query && toSchema(schemas.query)
  const inQuery = Object.entries((query?.properties as Json | undefined) ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: ((query?.required as string[] | undefined) ?? []).includes(name),
    schema,
  }))
  const answer =
    row.answer === 'stream'
      ? { 'text/event-stream': { schema: { type: 'string' } } }
      : row.answer === 'text'
        ? { 'text/plain': { schema: { type: 'string' } } }
        : jsonOf(toSchema(schemas.response))
  return {
    operationId: row.id,
    tags: [TAGS.find(([pattern]) => pattern.test(row.path))?.[1] ?? 'System'],
    ...((inPath.length || inQuery.length) && { parameters: [...inPath, ...inQuery] }),
    ...(schemas.body && { requestBody: { required: true, content: jsonOf(toSchema(schemas.body)) } }),
    responses: { [row.answer === 'none' ? '204' : '200']: { description: 'Success', content: answer }, ...ERRORS },
  }
}

function jsonOf(schema: Json): Json {
  return { 'application/json': { schema } }
}

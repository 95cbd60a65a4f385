import 'server-only'
import { z } from 'zod'
import type { ApiRoute } from './route'

/** The body of every failure, after RFC 9457. */
export const Problem = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What happened and what to do.'),
  code: z.string().describe('A stable word for the kind of failure, such as `not_found`.'),
  fields: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })),
  request_id: z.string().describe('Identifies the log lines of this failure.'),
})

type Json = Record<string, unknown>
/** What zod cannot express, such as an upstream's free-form object, is documented as any value. */
const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}

const PARAMS = /\{(\w+)\}/g
const parameter = (name: string, place: 'path' | 'query' | 'header', isRequired: boolean, schema: Json) => {
  const { description, ...rest } = schema
  return { name, in: place, required: isRequired, schema: rest, ...(description !== undefined && { description }) }
}

function parametersOf({ method, path, query }: ApiRoute): Json[] {
  const fields = query ? (schemaOf(query, 'input').properties as Record<string, Json>) : {}
  return [
    ...[...path.matchAll(PARAMS)].map(([, name = '']) => parameter(name, 'path', true, { type: 'string' })),
    ...Object.entries(fields).map(([name, schema]) => parameter(name, 'query', false, schema)),
    ...(method === 'GET'
      ? []
      : [
          parameter('Idempotency-Key', 'header', false, {
            type: 'string',
            minLength: 8,
            maxLength: 100,
            description: 'A repeat with the same key gets the first result.',
          }),
        ]),
  ]
}

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

function operationOf(route: ApiRoute): Json {
  const { id, tag, summary, description = '', role, body, response } = route
  const content =
    typeof response === 'string'
      ? { [response]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemaOf(response, 'output') } }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}${description ? ' ' : ''}Requires the role \`${role}\`.`,
    parameters: parametersOf(route),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: {
      200: { description: 'Success', content },
      401: problem('The token is missing, wrong, revoked or expired.'),
      429: problem('Too many requests. `Retry-After` says when to try again.'),
      default: problem('The request failed.'),
    },
  }
}

/** The description of the HTTP API, from the routes that serve it. */
export function openapiDocument(routes: readonly ApiRoute[], origin: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pilothouse HTTP API',
      version: '1',
      description:
        'Reads and changes the deployments of one workspace. A token names the workspace, the role and, if it is limited, the deployments.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${origin}/api/v1` }],
    security: [{ token: [] }],
    tags: ['Workspace', 'Deployments', 'Revisions', 'Runs'].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(Problem, 'output') },
    },
  }
}

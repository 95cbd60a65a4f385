import 'server-only'
import { z } from 'zod'
import type { Role } from '@/lib/contracts/wire/api'
import { queryInt } from '@/lib/contracts/wire/fields'
import type { Actor } from '../access/actor'

/** The file that a route responds with in place of JSON. */
export type ApiFile = { name: string; type: string; parts: AsyncGenerator<string, void> }

export type ApiRequest<Query, Body> = {
  actor: Actor
  workspace: string
  params: Record<string, string>
  query: Query
  body: Body
  /** The idempotency key of a write: given by the client, or made for this request. */
  key: string
  signal: AbortSignal
}

/** One route of the HTTP API: how it is documented, what it takes and gives, and what it does. */
export type ApiRoute = {
  id: string
  method: 'GET' | 'POST' | 'PATCH'
  /** Below `/api/v1`. */
  path: string
  tag: 'Deployments' | 'Revisions' | 'Runs' | 'Workspace'
  summary: string
  description?: string
  /** The role that its operations require; `call` and the records door check it. */
  role: Role
  query?: z.ZodType
  body?: z.ZodType
  /** The schema of the JSON it responds with, or the media type of a file. */
  response: z.ZodType | 'application/jsonl'
  handle(request: ApiRequest<unknown, unknown>): Promise<unknown>
}

type Typed<Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType | 'application/jsonl'> = Omit<
  ApiRoute,
  'query' | 'body' | 'response' | 'handle'
> & {
  query?: Q
  body?: B
  response: R
  handle(request: ApiRequest<z.output<Q>, z.output<B>>): Promise<R extends z.ZodType ? z.input<R> : ApiFile>
}

/** Checks at compile time that a route's handler fits its schemas. */
export const route = <
  R extends z.ZodType | 'application/jsonl',
  Q extends z.ZodType = z.ZodType<undefined>,
  B extends z.ZodType = z.ZodType<undefined>,
>(
  typed: Typed<Q, B, R>,
): ApiRoute => typed as unknown as ApiRoute // the server parses query and body with these schemas before it calls `handle`

/** An integer in a query, documented as one. */
export const integer = (min: number, max: number, usual: number) =>
  queryInt(min, max).default(usual).meta({ type: 'integer', minimum: min, maximum: max, default: usual })

export const text = (description: string, max = 300) => z.string().trim().max(max).describe(description)

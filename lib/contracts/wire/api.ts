import type { z } from 'zod'

/** Lowest first; each role includes those before it. */
export const ROLES = ['viewer', 'developer', 'admin'] as const
export type Role = (typeof ROLES)[number]

export type ApiId = 'control-plane' | 'agent-server' | 'traces'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** The body of a success: a JSON document, server-sent events, text (HTML, metrics), or nothing. */
export type ResponseKind = 'json' | 'stream' | 'text' | 'none'

/** A row's schemas. The response schema's input type is the wire; its output is what may leave our server. */
export type RowSchemas = { query?: z.ZodType; body?: z.ZodType; response: z.ZodType }

/** A row without its schemas: plain data, so that browsers load no schema library. */
export type Row<Path extends string = string> = {
  method: Method
  path: Path
  role: Role
  effect: 'read' | 'write'
  response?: ResponseKind
}

/** One upstream operation. `types` never exists at run time; it only ties the row to its schemas. */
export type Operation<S extends RowSchemas = RowSchemas, Path extends string = string> = Required<Row<Path>> & {
  api: ApiId
  id: string
  types?: S
}

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never
type ParamsPart<Path extends string> = string extends Path
  ? { params?: Record<string, string> }
  : [ParamNames<Path>] extends [never]
    ? { params?: undefined }
    : { params: Record<ParamNames<Path>, string> }
type QueryPart<S> = S extends { query: infer Q extends z.ZodType } ? { query?: z.input<Q> } : { query?: undefined }
type BodyPart<S> = S extends { body: infer B extends z.ZodType }
  ? undefined extends z.input<B>
    ? { body?: z.input<B> }
    : { body: z.input<B> }
  : { body?: undefined }

/** Path parameters, query and body of an operation. */
export type InputOf<Op> =
  Op extends Operation<infer S, infer Path> ? ParamsPart<Path> & QueryPart<S> & BodyPart<S> : never
/** The result of calling an operation: its response schema's output. */
export type OutputOf<Op> = Op extends Operation<infer S, string> ? z.output<S['response']> : never
/** The operation's response on the wire: its response schema's input. */
export type WireOf<Op> = Op extends Operation<infer S, string> ? z.input<S['response']> : never

/** Any operation's input, if the operation is not known statically. */
export type AnyInput = { params?: Record<string, string>; query?: unknown; body?: unknown }

/** Names each row of an API after its key. Curried, so that the schemas can be given as a type only. */
export function defineApi<S extends Record<string, RowSchemas>>() {
  return <const Rows extends { [Id in keyof S]: Row }>(api: ApiId, rows: Rows) =>
    Object.fromEntries(
      Object.entries(rows as Record<string, Row>).map(([id, row]) => [id, { response: 'json', ...row, api, id }]),
    ) as { [Id in keyof S & string]: Operation<S[Id], Rows[Id]['path']> }
}

export type ApiTable = Record<string, Operation>

const PLACE = /\{(\w+)\}/g

/**
 * A row's path with encoded parameters and query: arrays as repeated keys, objects as JSON, undefined and null left
 * out. Throws TypeError for a parameter that is missing, empty, `.` or `..`, which would change the path.
 */
export function buildPath(row: Pick<Row, 'path'>, params: Record<string, string> = {}, query: unknown = {}): string {
  const path = row.path.replace(PLACE, (_, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
      throw new TypeError(`The path parameter ${name} is missing or invalid.`)
    // encodeURIComponent throws a URIError for a lone surrogate, without naming the parameter.
    if (/[\uD800-\uDFFF]/.test(value.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '')))
      throw new TypeError(`The path parameter ${name} is not valid text.`)
    return encodeURIComponent(value)
  })
  const search = buildQuery(query)
  return search ? `${path}?${search}` : path
}

/** A query string without its question mark, by the rules of `buildPath`. */
export function buildQuery(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue
      search.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one))
    }
  }
  return search.toString()
}

/**
 * Finds the row for a method and decoded path segments, with its parameters. Literals win over parameters; undefined if
 * nothing matches.
 */
export function matchRow<R extends { method: string; path: string }>(
  table: Record<string, R> | readonly R[],
  method: string,
  segments: readonly string[],
): { row: R; params: Record<string, string> } | undefined {
  let best: { row: R; params: Record<string, string>; literals: string } | undefined
  for (const row of Object.values(table)) {
    if (row.method !== method) continue
    const places = row.path.split('/').filter(Boolean)
    if (places.length !== segments.length) continue
    const params: Record<string, string> = {}
    let literals = ''
    const matches = places.every((place, index) => {
      const given = segments[index] as string
      if (given === '' || given === '.' || given === '..') return false
      const isPlace = place.startsWith('{')
      literals += isPlace ? '0' : '1'
      if (!isPlace) return place === given
      params[place.slice(1, -1)] = given
      return true
    })
    if (matches && (!best || literals > best.literals)) best = { row, params, literals }
  }
  return best && { row: best.row, params: best.params }
}

/** Whether the role `has` includes the role `needs`. */
export const isAtLeast = (has: Role, needs: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needs)

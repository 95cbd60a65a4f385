import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { RowSchemas } from '@/lib/contracts/wire/api'
import { toValidationError } from '@/lib/contracts/wire/http-validation-error'
import { parseJson } from '@/lib/json/lossless'
import { closeIfUnread } from '../kernel/close-unread'
import { HttpError } from '../kernel/http-error'
import { parseLeniently } from '../kernel/lenient'

export type Env = { Bindings: HttpBindings }
// biome-ignore lint/suspicious/noExplicitAny: each handler's own schema has checked what it gets; see `parseInput`
type Parsed = { query: any; body: any }
/** A request as parsed by the operation's schemas, and the deployment to which its key is limited. */
export type Input = Parsed & {
  params: Record<string, string>
  context: Context<Env>
  deploymentId: string | undefined
}
export type Handler = (input: Input) => Promise<Response> | Response

/** A route of the tracing API. Bodies of the intake are read as they stream in, by the handler. */
export type Route = Partial<Pick<RowSchemas, 'query' | 'body'>> & {
  method: string
  path: string
  isIntake?: boolean
  /** Without a key: some SDKs ask for the limits before they use theirs. */
  isPublic?: boolean
  handle: Handler
}

/** Query and body by the route's schemas. `onIgnored` is called for each unknown field. */
export async function parseInput(
  { query, body }: Pick<Route, 'query' | 'body'>,
  context: Context<Env>,
  onIgnored: (field: string) => void,
): Promise<Parsed> {
  const check = (schema: RowSchemas['body'], value: unknown, where: 'query' | 'body') => {
    if (!schema) return undefined
    try {
      const { data, ignored } = parseLeniently(schema, value)
      for (const field of ignored) onIgnored(`${where}.${field}`)
      return data
    } catch (error) {
      if (!isZodError(error)) throw error
      throw new HttpError(422, toValidationError(error, where).detail)
    }
  }
  const asked = check(query, queryOf(context), 'query')
  if (!body) return { query: asked, body: undefined }
  const text = await context.req.text()
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    const msg = `JSON decode error: ${(error as Error).message}`
    throw new HttpError(422, [{ loc: ['body'], msg, type: 'json_invalid' }])
  }
  return { query: asked, body: check(body, value, 'body') }
}

const isZodError = (error: unknown): error is Parameters<typeof toValidationError>[0] =>
  error instanceof Error && 'issues' in error

/** Repeated keys as lists. Blank values are absent, and one SDK marks lists with brackets. */
function queryOf(context: Context<Env>): Record<string, string | string[]> {
  const found = Object.entries(context.req.queries()).flatMap(([key, given]) => {
    const values = given.filter((value) => value !== '')
    const name = key.replace(/\[\]$/, '')
    return values.length === 0 ? [] : [[name, values.length === 1 ? (values[0] as string) : values] as const]
  })
  return Object.fromEntries(found)
}

export const json = (context: Context, text: string): Response =>
  context.body(text, 200, { 'Content-Type': 'application/json' })

type Reply = { status: number; content: string | Buffer; type: string; retryAfterS?: number | undefined }

/** A response of the intake, whose request may not have been read to its end. */
export function reply(context: Context<Env>, { status, content, type, retryAfterS }: Reply): Response {
  closeIfUnread(context)
  if (retryAfterS) context.header('Retry-After', String(retryAfterS))
  const bytes = typeof content === 'string' ? content : new Uint8Array(content)
  return context.body(bytes, status as ContentfulStatusCode, { 'Content-Type': type })
}

import { z } from 'zod'
import { HTTPValidationError } from '@/lib/contracts/wire/http-validation-error'

/** JSON-RPC over HTTP, shared by the two protocols that use it. */

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

/** An error response that belongs to no particular request. */
export const rpcProblem = (code: number, message: string, status = 400): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })

/** The body parsed as JSON, whatever its content type, or an error response. */
export async function readRpc(
  request: Request,
  refusalStatus = 400,
): Promise<{ body: unknown } | { refusal: Response }> {
  try {
    return { body: JSON.parse(await request.text()) }
  } catch (error) {
    // Over the size limit, not malformed.
    if (!(error instanceof SyntaxError)) throw error
    return { refusal: rpcProblem(PARSE_ERROR, 'Parse error: the body is not JSON', refusalStatus) }
  }
}

/** The detail of an HTTP error as a sentence; of a 422, every field with what is wrong with it. */
export function sentenceOf(detail: unknown): string {
  if (typeof detail === 'string') return detail
  const problems = HTTPValidationError.safeParse({ detail })
  if (!problems.success) return JSON.stringify(detail)
  return listed(problems.data.detail.map(({ loc, msg }) => ({ path: loc.slice(1), message: msg })))
}

const SchemaIssues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1)

/** Why a run failed, in a sentence. Schema libraries put a list of issues, as JSON, into the message. */
export function failureOf({ error, message }: { error: string; message: string }): string {
  if (error.endsWith('ZodError') && message.startsWith('[')) {
    const issues = SchemaIssues.safeParse(tryParse(message))
    if (issues.success) return `Invalid input: ${listed(issues.data)}`
  }
  return `${error}: ${message}`
}

const listed = (problems: { path: (string | number)[]; message: string }[]): string =>
  `${problems.map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message)).join('; ')}.`

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { ValidationError } from '@/lib/contracts/wire/http-validation-error'
import { isUuid } from '@/lib/json/guards'

/** An error response, thrown by a handler: `{ detail }` with this status. */
export class HttpError extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 422 | 501 | 503,
    readonly detail: string | ValidationError[],
  ) {
    super(typeof detail === 'string' ? detail : detail.map((one) => `${one.loc.join('.')}: ${one.msg}`).join('; '))
    this.name = 'HttpError'
  }
}

export const notFound = (kind: string, id: string): HttpError => new HttpError(404, `${kind} ${id} not found.`)

/** A 422 for rules that need more than the request's schema. */
export const invalid = (where: 'body' | 'query' | 'path', problems: readonly Problem[]): HttpError =>
  new HttpError(
    422,
    problems.map(({ path, message, type }) => ({ loc: [where, ...path], msg: message, type })),
  )

/** An id in its stored form; throws a 422 that names the field. */
export function uuid(where: 'body' | 'query' | 'path', field: string, text: string): string {
  if (!isUuid(text)) {
    const message = 'Input should be a valid UUID'
    throw invalid(where, [{ path: [field], message, type: 'uuid_parsing' }])
  }
  return text.toLowerCase()
}

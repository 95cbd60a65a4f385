import 'server-only'
import { z } from 'zod'
import { STATE_ANSWERS } from '@/lib/contracts/agent-server'
import type { Operation } from '@/lib/contracts/wire/api'
import { fromWire } from '@/lib/contracts/wire/dialect'
import { redact } from '@/lib/contracts/wire/redact'
import { parseUpstreamError } from '@/lib/contracts/wire/upstream-error'
import { AppError } from '@/lib/errors'
import { parseJson, parseJsonAround } from '@/lib/json/lossless'
import type { Destination } from './destination'
import { featureOf, missingFeature } from './missing-feature'
import type { UpstreamResponse } from './request'
import { schemasOf } from './schemas'

// Turns an upstream's response into a value that may leave this server, or an AppError.

/** Replaces our own credentials, which upstreams may echo, with `[redacted]`. */
export function withoutCredentials(text: string, { credentials }: Destination): string {
  const values = Object.values(credentials).flatMap((value) => [value, value.replace(/^Bearer /, '')])
  return values.reduce(
    (left, value) => (value && left.includes(value) ? left.replaceAll(value, '[redacted]') : left),
    text,
  )
}

/** `Retry-After` in milliseconds: seconds or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined
}

/** How known control planes say that a key belongs to several tenants and the request names none of them. */
const NEEDS_TENANT = /org_scoped_key_requires_workspace|requires workspace specification/i

function refusal(op: Operation, status: number, to: Destination, said: string, text: string): string {
  if (to.what !== 'agent server' && NEEDS_TENANT.test(text))
    return `The API key belongs to an organization with several tenants, so the ${to.what} needs to know which one. Set the tenant ID in the workspace's settings, or CONTROL_PLANE_TENANT_ID if environment variables define the workspace.`
  // Hosted control planes refuse everybody whose plan has no clusters of their own.
  if (status === 403 && op.effect === 'write' && featureOf(op) === 'listeners')
    return `The ${to.what} did not allow this${said ? `: ${said.replace(/[.!]$/, '')}` : ''}. Either its plan has no listeners, or the workspace's API key may not change them.`
  if (to.isKeyWithheld)
    return `The ${to.what} at ${to.base.origin} requires a key, and this workspace's key is not sent there. Add the origin to the workspace's allowed origins to send it.`
  return `The ${to.what} refused this workspace's API key${said ? `: ${said.replace(/[.!]$/, '')}` : ''}. Check the key in the workspace's settings.`
}

const waitOf = (ms: number) => {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

/** Whose rate limit was reached, and when the next request may be sent. */
function limited(to: Destination, said: string, waitMs: number | undefined): string {
  const when = waitMs === undefined ? 'Try again later' : `Try again in ${waitOf(waitMs)}`
  return `The ${to.what} limits requests, and this workspace's key has reached the limit${said && ` (“${said}”)`}. ${when}.`
}

/** The AppError for an unsuccessful response. */
export function responseError(op: Operation, to: Destination, response: UpstreamResponse): AppError {
  const { status, contentType, headers } = response
  const text = withoutCredentials(response.text, to)
  const { message, fields, code } = parseUpstreamError({ status, contentType, text })
  const more = { fields, upstreamStatus: status, retryAfterMs: retryAfterMs(headers.get('retry-after')) }
  const missing = missingFeature(op, status, text)
  if (missing) return new AppError('unsupported', missing, more)
  if (code === 'upstream_refused_key') return new AppError(code, refusal(op, status, to, message, text), more)
  const words = message.replace(/[.!]$/, '')
  if (code === 'rate_limited') return new AppError(code, limited(to, words, more.retryAfterMs), more)
  // A failed server's message is rarely a sentence. A refusal's message is one, and says what to do.
  const isFailure = code === 'upstream_failed' || !words
  return new AppError(
    code,
    isFailure ? `The ${to.what} responded with status ${status}${words && `: ${words}`}.` : message,
    more,
  )
}

/** Parses a successful response; the value at the key `asText` stays text. Throws AppError upstream_shape for broken JSON. */
export function readResponse(op: Operation, to: Destination, response: UpstreamResponse, asText?: string): unknown {
  if (op.response === 'none') return undefined
  const text = withoutCredentials(response.text, to)
  if (op.response === 'text') return text
  if (text.trim() === '') return undefined
  try {
    return asText === undefined ? parseJson(text) : parseJsonAround(text, asText)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const kind = response.contentType.split(';')[0]?.trim()
    const what = /\bjson$/i.test(kind ?? '')
      ? 'JSON that is broken or cut off'
      : `something other than JSON${kind ? ` (${kind})` : ''}`
    throw new AppError('upstream_shape', `The ${to.what} responded to ${op.id} with ${what}.`, {
      upstreamStatus: response.status,
      cause,
    })
  }
}

/**
 * The value through the row's response schema, redacted. With `isPartial`, records may lack fields, because the request
 * selected others. Throws AppError upstream_shape where it does not fit.
 */
export function responseOutput(
  op: Operation,
  to: Destination,
  upstreamStatus: number,
  value: unknown,
  { isPartial = false } = {},
): unknown {
  const isWhole = op.response === 'text' || STATE_ANSWERS.has(op.id)
  const { response } = schemasOf(op)
  const parsed = (isPartial ? partial(response) : response).safeParse(isWhole ? value : redact(fromWire(value)))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const at = issue?.path.join('.') || 'the whole response'
  throw new AppError(
    'upstream_shape',
    `The ${to.what} responded to ${op.id} in an unknown form: ${at} (${issue?.message}).`,
    {
      upstreamStatus,
      cause: parsed.error,
    },
  )
}

/** A list of records of which no field is required; other schemas as they are. */
const partial = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodArray && schema.element instanceof z.ZodObject ? z.array(schema.element.partial()) : schema

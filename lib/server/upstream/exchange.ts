import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import type { z } from 'zod'
import { type AnyInput, buildPath, type Operation } from '@/lib/contracts/wire/api'
import { toWire } from '@/lib/contracts/wire/dialect'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import type { Workspace } from '../access/workspaces'
import { metrics } from '../process/metrics'
import { parseInput } from '../process/result'
import { inClientSpan } from '../process/telemetry'
import type { Destination } from './destination'
import { dialectOf, learnDialect } from './learned-dialect'
import { ConnectionError } from './network-error'
import { requestStream, requestText, type UpstreamRequest, type UpstreamResponse, type UpstreamStream } from './request'
import { readResponse, responseError, responseOutput } from './response'
import { schemasOf } from './schemas'

const RETRY_PAUSE_MS = 150

/** A request that passed the row's schemas and has not been sent. */
export type Prepared = { path: string; query: unknown; body: unknown }

export type ExchangeOptions = {
  /** The workspace whose dialect is used and learned. */
  workspace: Workspace
  /** Sent as X-Request-Id to correlate the logs of both sides. */
  requestId: string
  signal?: AbortSignal
  timeoutMs?: number
  lastEventId?: string
  ignoresLimit?: boolean
  /** As in CallOptions. */
  asText?: string
}
/** A response, with its HTTP status for the audit trail. */
export type Exchanged<T> = { status: number; value: T }

/** Checks an input against its row. Throws AppError invalid, with the fields, before anything is sent. */
export function prepare(op: Operation, input: AnyInput): Prepared {
  const schemas = schemasOf(op)
  // It cancels the run when the reader disconnects: a write, which the row's role does not cover.
  if (op.effect === 'read' && (input.query as Record<string, unknown> | undefined)?.cancel_on_disconnect !== undefined)
    throw new AppError('invalid', 'Leaving does not cancel a run. Cancel the run explicitly.')
  const query = check(op, schemas.query, schemas.query ? (input.query ?? {}) : input.query)
  const body = check(op, schemas.body, input.body)
  try {
    return { path: buildPath(op, input.params, query), query, body }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new AppError('invalid', cause.message, { cause })
  }
}

function check(op: Operation, schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) {
    if (value === undefined) return undefined
    throw new AppError('invalid', `${op.id} does not accept this input.`)
  }
  return parseInput(schema, value)
}

function requestFor(op: Operation, to: Destination, prepared: Prepared, options: ExchangeOptions): UpstreamRequest {
  const accept = {
    json: 'application/json',
    none: 'application/json',
    text: 'text/plain, text/html',
    stream: 'text/event-stream',
  }
  const body = prepared.body === undefined ? undefined : printJson(toWire(prepared.body, dialectOf(options.workspace)))
  return {
    to,
    path: prepared.path,
    method: op.method,
    headers: {
      accept: accept[op.response],
      'x-request-id': options.requestId,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(options.lastEventId && { 'last-event-id': options.lastEventId }),
    },
    body,
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    ignoresLimit: options.ignoresLimit,
  }
}

/** Retries a read once after a connection error. A write is never retried, since it may have arrived. */
export async function withRetry<T extends { status: number }>(op: Operation, send: () => Promise<T>): Promise<T> {
  const ask = () => measured(op, send)
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    if (op.effect === 'write') throw error.wasSent ? unknownFate(error) : error
    if (!error.isRetryable) throw error
    await pause(RETRY_PAUSE_MS)
    return await ask()
  }
}

async function measured<T extends { status: number }>({ id }: Operation, send: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const observe = (outcome: string) =>
    metrics().upstreamSeconds.observe({ operation: id, outcome }, (performance.now() - began) / 1000)
  try {
    const response = await inClientSpan(id, send)
    observe(`${Math.floor(response.status / 100)}xx`)
    return response
  } catch (error) {
    observe(error instanceof AppError ? error.code : 'aborted')
    throw error
  }
}

const unknownFate = (error: ConnectionError) =>
  new ConnectionError(
    `${error.message} It is unknown whether the change was made: check before you try again.`,
    false,
    true,
    error,
  )

type Selecting = { select?: unknown } | undefined | null

export const isSuccess = (status: number) => status >= 200 && status < 300

/**
 * Sends a prepared request and returns the raw response, whatever its status.
 * The text is not redacted: do not pass it on.
 */
export function exchangeText(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Promise<UpstreamResponse> {
  const request = requestFor(op, to, prepared, options)
  return withRetry(op, () => requestText(request))
}

/** Sends a prepared request to one server and reads its response. Roles are not checked here; `call` does that. */
export async function exchange(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Promise<Exchanged<unknown>> {
  const response = await exchangeText(op, to, prepared, options)
  if (!isSuccess(response.status)) throw responseError(op, to, response)
  const value = readResponse(op, to, response, options.asText)
  if (op.api === 'control-plane') learnDialect(options.workspace, value)
  const isPartial = [prepared.body, prepared.query].some((part) => Array.isArray((part as Selecting)?.select))
  return { status: response.status, value: responseOutput(op, to, response.status, value, { isPartial }) }
}

/** Like `exchange`, for operations that respond with an event stream. */
export async function exchangeStream(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Promise<Exchanged<UpstreamStream>> {
  const request = requestFor(op, to, prepared, options)
  const response: UpstreamStream | UpstreamResponse = await withRetry(op, () => requestStream(request))
  if ('body' in response) return { status: response.status, value: response }
  if (!isSuccess(response.status)) throw responseError(op, to, response)
  throw new AppError(
    'upstream_shape',
    `The ${to.what} responded to ${op.id} with something other than a stream (${response.contentType.split(';')[0] || 'no content type'}).`,
    {
      upstreamStatus: response.status,
    },
  )
}

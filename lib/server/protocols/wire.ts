import 'server-only'
import type { Method, Operation } from '@/lib/contracts/wire/api'
import { MOST_WAIT_MS, rpcResponse, type WireEntry, type WireHeader } from '@/lib/contracts/wire/exchange'
import { isSecretKey, REDACTED, redactEventText } from '@/lib/contracts/wire/redact'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { SseParser, SseTooLargeError } from '@/lib/stream/sse'
import type { Destination } from '../upstream/destination'
import { type ExchangeOptions, isSuccess, withRetry } from '../upstream/exchange'
import { joinUrl, requestStream } from '../upstream/request'
import { responseError, withoutCredentials } from '../upstream/response'

// One JSON-RPC exchange over HTTP, reported as it happens. Credentials and session ids are redacted from what is
// reported.

export type Tell = (entry: WireEntry) => void

export type WireRequest = {
  op: Operation
  to: Destination
  path: string
  options: ExchangeOptions
  method?: Method
  headers?: Record<string, string>
  body?: unknown
  /** The exchange is complete with the response to this id, even if the server leaves its stream open. */
  until?: number
  timeoutMs?: number
}

const MAX_BYTES = 16 * 1024 * 1024
const MAX_HEADER_CHARS = 500
/** Anyone who knows a session's id can use it, so it is redacted like a key. */
export const SESSION = 'mcp-session-id'

/** A clock for `at`, and entries with their time. */
export function watch(tell: Tell) {
  const began = performance.now()
  return (entry: WireEntry extends infer E ? (E extends WireEntry ? Omit<E, 'at'> : never) : never) =>
    tell({ ...entry, at: Math.round(performance.now() - began) } as WireEntry)
}
export type Watch = ReturnType<typeof watch>

/** Sends one message and returns the response messages. Throws AppError on an HTTP error. */
export async function exchangeRpc(request: WireRequest, tell: Watch) {
  const { op, to, path, options, method = 'POST', body, until, timeoutMs = MOST_WAIT_MS } = request
  const text = body === undefined ? undefined : printJson(body)
  const headers = {
    accept: 'application/json, text/event-stream',
    ...(text !== undefined && { 'content-type': 'application/json' }),
    'x-request-id': options.requestId,
    ...request.headers,
  }
  const response = await withRetry(op, () => {
    const sent = { ...headers, ...to.credentials }
    const url = joinUrl(to.base, path).href
    tell({ kind: 'request', method, url, headers: shownHeaders(Object.entries(sent), to), body: text ?? null })
    const { signal } = options
    return requestStream({ to, path, method, headers, body: text, signal, timeoutMs, maxBytes: MAX_BYTES })
  })
  tell({ kind: 'response', status: response.status, headers: shownHeaders([...response.headers], to) })
  const messages: string[] = []
  const take = (raw: string) => {
    const message = redactEventText('message', withoutCredentials(raw, to))
    messages.push(message)
    tell({ kind: 'message', text: message })
    return until !== undefined && rpcResponse(message)?.id === until
  }
  if ('body' in response) await readEvents(response.body, take)
  else if (response.text !== '') take(response.text)
  tell({ kind: 'end' })
  if ('text' in response && !isSuccess(response.status)) throw responseError(op, to, response)
  return { status: response.status, headers: response.headers, messages }
}

/** Passes on the data of each event until `take` returns true. */
async function readEvents(body: ReadableStream<Uint8Array>, take: (data: string) => boolean): Promise<void> {
  const parser = new SseParser({ maxEventLength: MAX_BYTES })
  let size = 0
  const tooLarge = () => new AppError('too_large', `The stream exceeds ${MAX_BYTES >> 20} MB. The rest was not read.`)
  try {
    for await (const bytes of body) {
      size += bytes.byteLength
      for (const { data } of parser.push(bytes)) if (data !== '' && take(data)) return
      if (size > MAX_BYTES) throw tooLarge()
    }
  } catch (error) {
    throw error instanceof SseTooLargeError ? tooLarge() : error
  }
}

const shownHeaders = (headers: readonly [string, string][], to: Destination): WireHeader[] =>
  headers.map(([name, value]) => {
    const isSecret = Object.hasOwn(to.credentials, name) || name === SESSION || isSecretKey(name)
    return [name, isSecret ? REDACTED : withoutCredentials(value, to).slice(0, MAX_HEADER_CHARS)]
  })

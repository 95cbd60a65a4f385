import type { ErrorView } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '../../json/lossless'

// JSON-RPC traffic as it happened: entries on the way to the browser, and the exchanges they add up to. Times are
// milliseconds since the request.

/** An agent may work for long before it sends a document. */
export const MOST_WAIT_MS = 10 * 60_000

export type WireHeader = readonly [name: string, value: string]

export type WireEntry =
  | { kind: 'request'; at: number; method: string; url: string; headers: WireHeader[]; body: string | null }
  | { kind: 'response'; at: number; status: number; headers: WireHeader[] }
  /** The text of one JSON-RPC message: the response document, or the data of one event. */
  | { kind: 'message'; at: number; text: string }
  /** The response is complete. */
  | { kind: 'end'; at: number }
  /** The last entry. */
  | { kind: 'failed'; at: number; error: ErrorView }

export type Exchange = {
  request: Extract<WireEntry, { kind: 'request' }>
  response?: Extract<WireEntry, { kind: 'response' }>
  messages: { at: number; text: string }[]
  endedAt?: number
}

/** The exchanges, oldest first, and the error that ended them, if any. */
export function exchangesOf(entries: readonly WireEntry[]): { exchanges: Exchange[]; error?: ErrorView } {
  const exchanges: Exchange[] = []
  let error: ErrorView | undefined
  for (const entry of entries) {
    const last = exchanges.at(-1)
    if (entry.kind === 'request') exchanges.push({ request: entry, messages: [] })
    else if (entry.kind === 'failed') error = entry.error
    else if (!last) continue
    else if (entry.kind === 'response') last.response = entry
    else if (entry.kind === 'message') last.messages.push({ at: entry.at, text: entry.text })
    else last.endedAt = entry.at
  }
  return { exchanges, ...(error && { error }) }
}

export type RpcError = { code: unknown; message: string; data?: unknown }
export type RpcOutcome = { result: unknown } | { error: RpcError }

/** The method of a request; undefined without a body. */
export const methodOf = ({ request: { body } }: Exchange): string | undefined => {
  const sent = body === null ? undefined : read(body)
  return typeof sent?.method === 'string' ? sent.method : undefined
}

/** The responses to a method's requests, in order. A stream has many per request; notifications are not responses. */
export const responsesTo = (exchanges: readonly Exchange[], method: string): RpcOutcome[] =>
  exchanges.filter((one) => methodOf(one) === method).flatMap(responsesIn)

function responsesIn({ request: { body }, messages }: Exchange): RpcOutcome[] {
  const id = body === null ? undefined : read(body)?.id
  return messages.flatMap(({ text }) => {
    const response = rpcResponse(text)
    // A server that could not read a request responds with id null.
    return response && (response.id === id || response.id === null) ? [response] : []
  })
}

/** Parses a JSON-RPC response; undefined for requests, notifications and anything else. */
export function rpcResponse(text: string): (RpcOutcome & { id: unknown }) | undefined {
  const message = read(text)
  if (!message) return undefined
  const { id = null, error, result } = message
  if (isRecord(error)) {
    const { code, message: said, data } = error
    return { id, error: { code, message: typeof said === 'string' ? said : '', ...(data !== undefined && { data }) } }
  }
  return 'result' in message ? { id, result } : undefined
}

function read(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

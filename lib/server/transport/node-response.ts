import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

// On globalThis: instrumentation and the route handler each have their own copy of this module.
const shared = globalThis as { pilothouseResponses?: AsyncLocalStorage<ServerResponse | undefined> }

/**
 * From now on `nodeResponse` knows Node's own answer to each `POST /api/live`. A route handler is given none: its body is
 * a web stream that the framework pipes into that answer, at several times the price of a write (promises of reader,
 * writer and pipe for each piece), which forty viewers pay thirty times a second each.
 */
export function keepNodeResponses(): void {
  if (shared.pilothouseResponses) return
  const responses = new AsyncLocalStorage<ServerResponse | undefined>()
  shared.pilothouseResponses = responses
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    // Requests of one connection share their beginning: none must find the answer to the one before.
    responses.enterWith(request.url === '/api/live' ? response : undefined)
  })
}

/** Node's answer to the request being handled; undefined where it is not known, as in tests. */
export const nodeResponse = (): ServerResponse | undefined => shared.pilothouseResponses?.getStore()

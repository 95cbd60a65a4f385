import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { withBasePath } from '@/lib/base-path'

export const LIVE_PATH = withBasePath('/api/live')
const CHANNEL = 'http.server.request.start'

type Kept = { responses: AsyncLocalStorage<ServerResponse | undefined>; onRequest: (message: unknown) => void }
// On globalThis: instrumentation and the route handler each have their own copy of this module.
const shared = globalThis as { pilothouseResponses?: Kept }

/**
 * Makes `nodeResponse` return Node's response to each `POST /api/live`, which route handlers are not given. Writing to it
 * directly costs a fraction of a web stream's write (docs/decisions/0037-gathered-reads.md).
 */
export function keepNodeResponses(): void {
  if (shared.pilothouseResponses) return
  const responses = new AsyncLocalStorage<ServerResponse | undefined>()
  const onRequest = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    // Requests on one connection share an async context, so the response of the previous one is cleared.
    responses.enterWith(request.url === LIVE_PATH ? response : undefined)
  }
  shared.pilothouseResponses = { responses, onRequest }
  subscribe(CHANNEL, onRequest)
}

/** From now on `nodeResponse` returns undefined. */
export function forgetNodeResponses(): void {
  if (shared.pilothouseResponses) unsubscribe(CHANNEL, shared.pilothouseResponses.onRequest)
  shared.pilothouseResponses = undefined
}

/** Node's response to the request being handled; undefined unless `keepNodeResponses` is in effect. */
export const nodeResponse = (): ServerResponse | undefined => shared.pilothouseResponses?.responses.getStore()

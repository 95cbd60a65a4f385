import type { ServerResponse } from 'node:http'
import { SAMPLE_ID } from './sample-inputs'
import { type Reply, type Seen, startStubUpstream } from './stub-upstream'

const input = {
  type: 'object',
  properties: { messages: { type: 'array' } },
  required: ['messages'],
}
const assistant = {
  assistant_id: SAMPLE_ID,
  graph_id: 'chat',
  name: 'chat',
  version: 1,
  metadata: { created_by: 'system' },
}

/** Sends events on a stream, without ids like a server that keeps nothing for a replay. */
export function send(response: ServerResponse, ...events: [name: string, data: unknown][]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [name, data] of events) response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}

/**
 * An agent server with one chat graph. `respond` is asked first; requests that it leaves undefined get a default response.
 */
export function startStubAgent(respond: (seen: Seen) => Reply | undefined) {
  return startStubUpstream((seen) => {
    const own = respond(seen)
    if (own) return own
    const { method, path } = seen
    if (path.startsWith('/assistants/search')) return { body: [assistant] }
    if (path.endsWith('/schemas')) return { body: { graph_id: 'chat', input_schema: input } }
    if (path.startsWith('/assistants/')) return { body: assistant }
    if (method === 'POST' && path === '/threads') return { body: { thread_id: SAMPLE_ID, metadata: {} } }
    if (path === '/info') return { body: { version: '1.0.0', flags: {} } }
    return { status: 404, body: { detail: 'Not Found' } }
  })
}

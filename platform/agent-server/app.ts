import { randomUUID, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { agentServer } from '@/lib/contracts/agent-server'
import { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import { matchRow, type RowSchemas } from '@/lib/contracts/api'
import { HttpError, stackOf } from './errors'
import type { Handlers, OperationId } from './handlers'
import { explainStoreError, parseRequest, type Reply, segmentsOf, toResponse } from './http'

export type AppOptions = {
  handlers: Handlers
  /** What the gateway sends with each request; absent: none is asked for. */
  secret: string | undefined
  complain(line: string): void
}

const BODY_LIMIT = 25_000_000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The agent server's HTTP surface: every row of the operation table, handled by the function of its name. */
export function createApp({ handlers, secret, complain }: AppOptions): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    if (secret && !isSame(context.req.header('x-pilothouse-child') ?? '', secret))
      throw new HttpError(403, 'This agent server is reached through its deployment address only.')
    await next()
  })
  app.use(
    bodyLimit({
      maxSize: BODY_LIMIT,
      onError: () => {
        throw new HttpError(413, `The request body is larger than ${BODY_LIMIT / 1_000_000} MB.`)
      },
    }),
  )
  app.all('*', async (context) => toResponse(context, await dispatch(context)))
  app.onError((error, context) => {
    const known = error instanceof HttpError ? error : explainStoreError(error)
    if (known) return context.json({ detail: known.detail }, known.status as 422)
    const requestId = randomUUID()
    complain(`${context.req.method} ${context.req.path} failed (request ${requestId}): ${stackOf(error)}`)
    return context.json({ detail: `Internal Server Error (request ${requestId})` }, 500, { 'X-Request-Id': requestId })
  })
  return app

  async function dispatch(context: Context): Promise<Reply> {
    const url = new URL(context.req.url)
    const segments = segmentsOf(url.pathname)
    const found = matchRow(agentServer, context.req.method, segments)
    if (!found) {
      const others = METHODS.filter((method) => matchRow(agentServer, method, segments))
      if (!others.length) throw new HttpError(404, 'Not Found')
      context.header('Allow', others.join(', '))
      throw new HttpError(405, 'Method Not Allowed')
    }
    const id = found.row.id as OperationId
    const schemas: RowSchemas = agentServerSchemas[id]
    // The table ties each handler to its own schemas; once chosen at run time, only the parsed request tells them apart.
    const handle = handlers[id] as (input: unknown) => Promise<Reply>
    const input = await parseRequest(schemas, url, () => context.req.text())
    return handle({ params: found.params, ...input, headers: context.req.raw.headers, signal: context.req.raw.signal })
  }
}

function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

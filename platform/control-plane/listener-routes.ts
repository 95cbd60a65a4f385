import { Socket } from 'node:net'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { WebSocketServer } from 'ws'
import type { z } from 'zod'
import { PING_MS, TUNNEL_PATH } from '../compute/listener/tunnel-wire'
import { REPORT_PATH, Report, WORK_PATH, WorkRequest } from '../compute/listener/wire'
import { HttpError } from '../kernel/http-error'
import type { Upgrade } from '../kernel/web-socket'
import type { Platform } from './platform'

/** A report of many log lines. */
const BODY_LIMIT = 64_000_000

/** What listeners call with their tokens. The console uses none of it. */
export function listenerRoutes({ listeners }: Pick<Platform, 'listeners'>): Hono {
  const callerOf = (context: Context): string => {
    const id = idOf(listeners, context.req.header('authorization'))
    if (!id) throw new HttpError(401, NOT_VALID)
    return id
  }
  const tokened = new Hono()
  const limit = bodyLimit({
    maxSize: BODY_LIMIT,
    onError: () => {
      throw new HttpError(413, 'The report is too large.')
    },
  })
  tokened.post(WORK_PATH, limit, async (context) => {
    const id = callerOf(context)
    const request = await read(context, WorkRequest)
    context.header('Cache-Control', 'no-store')
    const work = await listeners.work(id, request, context.req.raw.signal)
    // The token may have been revoked while the listener waited, and work contains secrets.
    callerOf(context)
    return context.json(work)
  })
  tokened.post(REPORT_PATH, limit, async (context) => {
    const id = callerOf(context)
    listeners.report(id, await read(context, Report))
    return context.body(null, 204)
  })
  return tokened
}

const NOT_VALID = 'The token of this listener is not valid.'

function idOf(listeners: Platform['listeners'], authorization = ''): string | undefined {
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  return token && listeners.idOfToken(token)
}

const accepting = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: 16_000_000 })

/** Accepts the tunnels of listeners. False for a WebSocket that is none. */
export const acceptTunnel =
  (listeners: Platform['listeners']) =>
  ({ request, socket, head }: Upgrade): boolean => {
    if (request.url?.split('?')[0] !== TUNNEL_PATH) return false
    const id = idOf(listeners, request.headers.authorization)
    // Tells of a listener that is gone from a tunnel in use, which is not pinged.
    if (socket instanceof Socket) socket.setKeepAlive(true, PING_MS)
    if (id) accepting.handleUpgrade(request, socket, head, (opened) => listeners.addTunnel(id, opened))
    else socket.end(`HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    return true
  }

async function read<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(await context.req.json().catch(() => undefined))
  if (!parsed.success) throw new HttpError(422, 'The listener and this control plane are of versions that differ.')
  return parsed.data
}

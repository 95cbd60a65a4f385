import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { REPORT_PATH, Report, WORK_PATH, WorkRequest } from '../compute/listener/wire'
import { HttpError, notFound, uuid } from '../kernel/http-error'
import type { Platform } from './platform'

/** A report of many log lines. */
const BODY_LIMIT = 64_000_000

/** What listeners call with their tokens, and what gives and takes these tokens. The console uses none of it. */
export function listenerRoutes({ listeners }: Pick<Platform, 'listeners'>): { tokened: Hono; keyed: Hono } {
  const callerOf = (context: Context): string => {
    const token = /^bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
    const id = token && listeners.idOfToken(token)
    if (!id) throw new HttpError(401, 'The token of this listener is not valid.')
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

  const keyed = new Hono()
  const known = (context: Context): string => {
    const id = uuid('path', 'listener_id', context.req.param('listener_id') ?? '')
    if (!listeners.find(id)) throw notFound('Listener', id)
    return id
  }
  keyed.post('/v2/listeners/:listener_id/token', async (context) =>
    context.json({ token: await listeners.renewToken(known(context)) }, 201),
  )
  keyed.delete('/v2/listeners/:listener_id/token', async (context) => {
    await listeners.revokeToken(known(context))
    return context.body(null, 204)
  })
  return { tokened, keyed }
}

async function read<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(await context.req.json().catch(() => undefined))
  if (!parsed.success) throw new HttpError(422, 'The listener and this control plane are of versions that differ.')
  return parsed.data
}

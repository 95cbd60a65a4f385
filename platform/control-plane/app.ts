import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { controlPlane } from '@/lib/contracts/control-plane'
import { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import { matchRow, type RowSchemas } from '@/lib/contracts/wire/api'
import { isUuid } from '@/lib/json/guards'
import { closeIfUnread } from '../kernel/close-unread'
import { faultOf } from '../kernel/database'
import { HttpError } from '../kernel/http-error'
import { nameRequest } from '../kernel/telemetry'
import type { Handlers, OperationId } from '../kernel/wire'
import { parseRequest } from './parse-request'

export type AppOptions = {
  handlers: Handlers
  /** Routes of command-line tools, before and after the key is checked. */
  deployTool: { upload: Hono; keyed: Hono }
  /** Routes of listeners, with their own tokens. */
  listener: Hono
  isKey(given: string): boolean
  tenantId: string
  /** Address of the console; absent where the platform runs alone. */
  consoleUrl?: string | undefined
  logError(line: string): void
}

/** More than any list of secrets that a process could be started with. */
const BODY_LIMIT = 4_000_000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The control plane's HTTP interface: each operation is handled by the function of its name. */
export function createApp({ handlers, deployTool, listener, isKey, tenantId, consoleUrl, logError }: AppOptions): Hono {
  const app = new Hono()
  app.get('/ok', (context) => context.json({ ok: true }))

  // Command-line tools print this address for a browser, which has no key. It is the same for every id.
  app.get('/o/:tenant_id/host/deployments/:deployment_id', (context, next) => {
    const id = context.req.param('deployment_id')
    return consoleUrl && isUuid(id) ? context.redirect(`${consoleUrl}/local/deployments/${id}`) : next()
  })

  // Before the limit for bodies: an upload is much larger.
  app.route('/', deployTool.upload)
  app.route('/', listener)
  app.use(async (context, next) => {
    checkCaller(context, isKey, tenantId)
    await next()
    context.header('Cache-Control', 'no-store')
  })
  app.use(
    bodyLimit({
      maxSize: BODY_LIMIT,
      onError: () => {
        throw new HttpError(413, `The request body is larger than ${BODY_LIMIT / 1_000_000} MB.`)
      },
    }),
  )

  for (const row of Object.values(controlPlane)) {
    const id = row.id as OperationId
    const schemas: RowSchemas = controlPlaneSchemas[id]
    // The table ties each handler to its own schemas; selected at run time, its input type is lost.
    const handle = handlers[id] as (input: unknown) => ReturnType<Handlers[OperationId]>
    app.on(row.method, row.path.replace(/\{(\w+)\}/g, ':$1'), async (context) => {
      nameRequest(row.method, row.path)
      const input = await parseRequest(schemas, new URL(context.req.url).searchParams, () => context.req.text())
      const { status, body } = await handle({ params: context.req.param(), ...input })
      if (body === undefined) return context.body(null, 204)
      return context.json(body as object, status ?? 200)
    })
  }

  app.route('/', deployTool.keyed)

  app.notFound((context) => {
    const segments = context.req.path.split('/').filter(Boolean)
    const others = METHODS.filter((method) => matchRow(controlPlane, method, segments))
    if (!others.length) return context.json({ detail: 'Not Found' }, 404)
    return context.json({ detail: 'Method Not Allowed' }, 405, { Allow: others.join(', ') })
  })
  app.onError((error, context) => {
    closeIfUnread(context)
    if (error instanceof HttpError) return context.json({ detail: error.detail }, error.status)
    const requestId = randomUUID()
    logError(`${context.req.method} ${context.req.path} failed (request ${requestId}): ${faultOf(error)}`)
    return context.json({ detail: `Internal Server Error (request ${requestId})` }, 500, { 'X-Request-Id': requestId })
  })
  return app
}

function checkCaller(context: Context, isKey: AppOptions['isKey'], tenantId: string): void {
  const bearer = /^bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
  const given = context.req.header('x-api-key') || bearer
  if (!given) throw new HttpError(401, 'Give an API key in the header X-Api-Key, or as Authorization: Bearer.')
  if (!isKey(given)) throw new HttpError(403, 'The API key is not valid.')
  const tenant = context.req.header('x-tenant-id')
  if (tenant && tenant.toLowerCase() !== tenantId)
    throw new HttpError(403, `The API key is not valid for tenant ${tenant}.`)
}

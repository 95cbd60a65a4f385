import { Readable } from 'node:stream'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { LOG_LEVELS, type LOG_TYPES } from '@/lib/contracts/deployments/logs'
import { queryInt, SORT_ORDERS } from '@/lib/contracts/wire/fields'
import { LARGEST_UPLOAD, type SignedUpload, TooLargeError } from '../builder/uploads'
import { HttpError, notFound, uuid } from '../kernel/http-error'
import type { Handlers } from '../kernel/wire'
import { find } from './deployments'
import { logPage } from './logs'
import { parseRequest } from './parse-request'
import type { Platform } from './platform'
import { findRevision } from './revisions'

const LogsRequest = z.strictObject({
  order: z.enum(SORT_ORDERS).default('asc'),
  limit: queryInt(1, 1000).default(50),
  offset: z.string().nullish(),
  level: z.enum(LOG_LEVELS).nullish(),
  query: z.string().nullish(),
  start_time: z.string().nullish(),
  end_time: z.string().nullish(),
})

const MOST_REVISIONS = 10_000
const UPLOAD_ONLY = 'An upload belongs to a deployment with source internal_source'

/** A place for an upload. What no revision uses any more makes room first. */
export function uploadHandlers(platform: Platform): Pick<Handlers, 'createUploadUrl'> {
  const { store, uploads } = platform
  return {
    async createUploadUrl({ params }) {
      const deployment = await requested(platform, params.deployment_id)
      if (deployment.source !== 'internal_source')
        throw new HttpError(400, `${UPLOAD_ONLY}; this one has source ${deployment.source}.`)
      const revisions = await store.listRevisions(deployment.id, { limit: MOST_REVISIONS, offset: 0 })
      const used = revisions.flatMap(({ sourceRevisionConfig: { source_tarball_path: one } }) => one ?? [])
      await uploads.prune(deployment.id, new Set(used))
      const { objectPath, expires, signature } = uploads.sign(deployment.id)
      const address = new URL(`/${objectPath}`, platform.publicUrl())
      address.search = new URLSearchParams({ expires: String(expires), signature }).toString()
      const upload_headers = { 'Content-Type': 'application/gzip' }
      return { body: { upload_url: address.href, object_path: objectPath, upload_headers } }
    },
  }
}

/**
 * What else command-line tools call to deploy a folder: the upload, and logs. The console uses none of it.
 * `upload` is called without a key: its address is signed.
 */
export function deployToolRoutes(platform: Platform): { upload: Hono; keyed: Hono } {
  const { uploads } = platform
  const upload = new Hono()
  upload.put('/uploads/:deployment_id/:name', async (context) => {
    const { deployment_id: id, name } = context.req.param()
    const { expires, signature } = context.req.query()
    const signed: SignedUpload = {
      objectPath: `uploads/${id}/${name}`,
      expires: Number(expires),
      signature: signature ?? '',
    }
    if (!uploads.isSigned(signed)) throw new HttpError(403, 'The upload address is not valid, or it has expired.')
    const tooLarge = new HttpError(413, `The source archive is larger than ${LARGEST_UPLOAD / 1024 / 1024} MB.`)
    if (Number(context.req.header('content-length') ?? 0) > LARGEST_UPLOAD) throw tooLarge
    // A signed address outlives its deployment.
    await find(platform, id)
    const body = context.req.raw.body
    if (!body) throw new HttpError(400, 'Send the archive as the body of the request.')
    const isNew = await uploads
      .receive(id, signed.objectPath, Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]))
      .catch((error: Error) => {
        throw error instanceof TooLargeError ? tooLarge : error
      })
    if (!isNew) throw new HttpError(409, 'There is an upload at this address already. Request a new address.')
    return context.body(null, 200)
  })

  const keyed = new Hono()
  keyed.post('/v2/deployments/:deployment_id/push-token', async (context) => {
    await requested(platform, context.req.param('deployment_id'))
    throw new HttpError(
      400,
      'This control plane has no image registry to push to. Upload the source instead: deploy with --remote.',
    )
  })

  const logs = (type: (typeof LOG_TYPES)[number]) => async (context: Context) => {
    const deploymentId = uuid('path', 'project_id', context.req.param('project_id') ?? '')
    await find(platform, deploymentId)
    const given = context.req.param('revision_id')
    const revision = given && (await findRevision(platform, deploymentId, uuid('path', 'revision_id', given)))
    const { body } = await parseRequest({ body: LogsRequest, response: z.unknown() }, new URLSearchParams(), () =>
      context.req.text(),
    )
    const { order, limit, ...filters } = body as z.output<typeof LogsRequest>
    const set = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null))
    const page = await logPage(platform, deploymentId, revision ? revision.id : undefined, {
      type,
      order,
      limit,
      ...set,
    })
    return context.json(page)
  }
  keyed.post('/v1/projects/:project_id/revisions/:revision_id/build_logs', logs('build'))
  keyed.post('/v1/projects/:project_id/revisions/:revision_id/deploy_logs', logs('deploy'))
  keyed.post('/v1/projects/:project_id/deploy_logs', logs('deploy'))
  return { upload, keyed }
}

async function requested(platform: Platform, id: string) {
  const found = await find(platform, uuid('path', 'deployment_id', id))
  if (found.status === 'AWAITING_DELETE') throw notFound('Deployment', id)
  return found
}

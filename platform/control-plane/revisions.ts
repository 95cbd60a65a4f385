import { mayRevision, REVISION_VERBS } from '@/lib/contracts/wire/state'
import { HttpError, notFound, uuid } from '../kernel/http-error'
import type { RevisionRow } from '../kernel/schema'
import type { Handlers } from '../kernel/wire'
import { changeDeployment, find, REMOTE_SOURCES } from './deployments'
import type { Platform } from './platform'
import { deploymentRecord, revisionRecord } from './records'

type Own = 'listRevisions' | 'createRevision' | 'getRevision' | 'redeployRevision' | 'interruptRevision'

export function revisionHandlers(platform: Platform): Pick<Handlers, Own> {
  const { store, rollouts } = platform
  return {
    async listRevisions({ params, query }) {
      const deploymentId = uuid('path', 'deployment_id', params.deployment_id)
      const { source } = await find(platform, deploymentId)
      const isRemote = REMOTE_SOURCES.includes(source)
      const rows =
        (query.remote_reconciled ?? isRemote) === isRemote
          ? await store.listRevisions(deploymentId, { ...query, statuses: (query.status || undefined)?.split(',') })
          : []
      return { body: { resources: rows.map(revisionRecord), offset: query.offset + rows.length } }
    },

    async createRevision({ params, body }) {
      const deploymentId = uuid('path', 'deployment_id', params.deployment_id)
      const id = await changeDeployment(platform, deploymentId, body, true)
      // No id means that the deployment was deleted at that moment.
      if (!id) throw notFound('Deployment', deploymentId)
      return { status: 201, body: revisionRecord(await findRevision(platform, deploymentId, id)) }
    },

    async getRevision({ params }) {
      return { body: revisionRecord(await findByParams(platform, params)) }
    },

    async redeployRevision({ params }) {
      const revision = await findByParams(platform, params)
      const deployment = await find(platform, revision.deploymentId)
      if (deployment.status === 'AWAITING_DELETE')
        throw new HttpError(400, `Deployment ${deployment.id} is being deleted.`)
      const isMoved = await store.requeueRevision(revision.id, REVISION_VERBS.redeploy)
      if (!isMoved) throw refusal('redeploy', await findByParams(platform, params))
      rollouts.wake(deployment.id)
      return { body: deploymentRecord(platform, await find(platform, deployment.id)) }
    },

    async interruptRevision({ params }) {
      const revision = await findByParams(platform, params)
      if (!mayRevision('interrupt', revision.status).allowed) throw refusal('interrupt', revision)
      await rollouts.interrupt(revision.deploymentId, revision.id)
      return { body: revisionRecord(await findByParams(platform, params)) }
    },
  }
}

function refusal(verb: keyof typeof REVISION_VERBS, { id, status }: RevisionRow): HttpError {
  const may = mayRevision(verb, status)
  return new HttpError(400, `Revision ${id} is ${status}. ${may.allowed ? 'Try again.' : may.reason}`)
}

function findByParams(
  platform: Platform,
  params: { deployment_id: string; revision_id: string },
): Promise<RevisionRow> {
  return findRevision(
    platform,
    uuid('path', 'deployment_id', params.deployment_id),
    uuid('path', 'revision_id', params.revision_id),
  )
}

export async function findRevision(platform: Platform, deploymentId: string, id: string): Promise<RevisionRow> {
  const found = await platform.store.findRevision(deploymentId, id)
  if (found) return found
  await find(platform, deploymentId)
  throw notFound('Revision', id)
}

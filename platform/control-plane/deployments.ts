import { randomUUID } from 'node:crypto'
import { patchMakesRevision, patchProblems } from '@/lib/contracts/deployments/deployment-rules'
import { type DeploymentPatch, type Secret, SourceConfig } from '@/lib/contracts/deployments/deployments'
import { mayDeployment } from '@/lib/contracts/wire/state'
import { HttpError, notFound, uuid } from '../kernel/http-error'
import { type DeleteRequest, type DeploymentRead, NameTakenError } from '../kernel/store'
import type { Handlers } from '../kernel/wire'
import type { Platform } from './platform'
import { deploymentRecord } from './records'
import { checkHere, checkReferences, checkUpload, customUrlProblems } from './references'
import { noteRevision, type RevisionDetails } from './revision-details'

/** Reconciled by a listener, not by the control plane. */
export const REMOTE_SOURCES = ['external_docker']
const OWN_SOURCES = ['github', 'internal_docker', 'internal_source']

type Own =
  | 'listDeployments'
  | 'createDeployment'
  | 'getDeployment'
  | 'updateDeployment'
  | 'deleteDeployment'
  | 'deleteDeployments'
  | 'countFreeDeployments'
  | 'updateDeploymentTier'
  | 'updateResourceTiers'

export function deploymentHandlers(platform: Platform): Pick<Handlers, Own> {
  const { store, sealer, rollouts, computes } = platform
  return {
    async listDeployments({ query }) {
      // Deployments have no tags or agents here, so such a filter matches nothing.
      if (query.tag_value_ids || query.agent_id || query.agent_environment)
        return { body: { resources: [], offset: query.offset } }
      const remote = query.remote_reconciled
      const rows = await store.listDeployments({
        limit: query.limit,
        offset: query.offset,
        name: query.name,
        nameContains: query.name_contains,
        status: query.status,
        source: remote === undefined ? undefined : remote ? REMOTE_SOURCES : OWN_SOURCES,
        imageVersion: query.image_version,
        deploymentType: query.deployment_type,
        // An empty filter counts as absent.
        ids: (query.deployment_ids || undefined)?.split(',').map((id) => uuid('query', 'deployment_ids', id)),
      })
      const resources = rows.map((row) => deploymentRecord(platform, row))
      return { body: { resources, offset: query.offset + rows.length } }
    },

    async createDeployment({ body }) {
      checkReferences(body, platform)
      const id = randomUUID()
      const { name, source, source_config, source_revision_config, secrets = [] } = body
      const sourceConfig = SourceConfig.parse(source_config)
      const compute = computes.of({ source, sourceConfig })
      checkHere(body, compute, [...customUrlProblems(platform, id, body), ...((await compute.examine?.(body)) ?? [])])
      try {
        await store.insertDeployment({
          id,
          name,
          source,
          sourceConfig,
          sourceRevisionConfig: source === 'internal_source' ? undefined : source_revision_config,
          secrets: sealer.seal(secrets, id),
        })
      } catch (error) {
        if (error instanceof NameTakenError) throw new HttpError(409, `A deployment named "${name}" already exists.`)
        throw error
      }
      await platform.customUrls.refresh()
      const created = await find(platform, id)
      if (created.latestRevisionId)
        noteRevision(platform, id, created.latestRevisionId, { resourceSpec: source_config.resource_spec })
      rollouts.wake(id)
      return { status: 201, body: deploymentRecord(platform, created) }
    },

    async getDeployment({ params }) {
      const id = uuid('path', 'deployment_id', params.deployment_id)
      return { body: deploymentRecord(platform, await find(platform, id)) }
    },

    async updateDeployment({ params, body }) {
      const id = uuid('path', 'deployment_id', params.deployment_id)
      await changeDeployment(platform, id, body, false)
      return { body: deploymentRecord(platform, await find(platform, id)) }
    },

    async deleteDeployment({ params, query }) {
      await remove(platform, uuid('path', 'deployment_id', params.deployment_id), {
        isForced: query.force ?? false,
        deletesProject: query.delete_tracing_project,
      })
      return { body: undefined }
    },

    async deleteDeployments({ query }) {
      const ids = [...new Set(query.deployment_ids.map((id) => uuid('query', 'deployment_ids', id)))]
      const failed: { deployment_id: string; detail: string }[] = []
      const deleted: string[] = []
      for (const id of ids) {
        try {
          await remove(platform, id, { isForced: false, deletesProject: false })
          deleted.push(id)
        } catch (error) {
          if (!(error instanceof HttpError)) throw error
          failed.push({ deployment_id: id, detail: error.message })
        }
      }
      if (!deleted.length) throw notFound(ids.length === 1 ? 'Deployment' : 'Deployments', ids.join(', '))
      return { status: failed.length ? 207 : 200, body: { deleted, failed } }
    },

    countFreeDeployments: async () => ({ body: { count: await store.countDeployments('dev_free') } }),
    updateDeploymentTier: ({ params }) => refuseTier(platform, params),
    updateResourceTiers: ({ params }) => refuseTier(platform, params),
  }
}

export async function find(platform: Platform, id: string): Promise<DeploymentRead> {
  const found = await platform.store.findDeployment(id)
  if (!found) throw notFound('Deployment', id)
  return found
}

/**
 * Writes an update, checking the rules that depend on the stored record. Returns the id of the new revision, if any;
 * `always` creates one even without a change.
 */
export async function changeDeployment(
  platform: Platform,
  id: string,
  patch: DeploymentPatch,
  always: boolean,
): Promise<string | undefined> {
  const { source: kind, sourceConfig: config } = await find(platform, id)
  await checkUpload(platform, id, patch)
  const examined = await platform.computes.of({ source: kind, sourceConfig: config }).examine?.(patch)
  let resourceSpec: RevisionDetails['resourceSpec']
  const revisionId = await platform.store.changeDeployment(id, (current) => {
    const may = mayDeployment('update', current.status)
    if (!may.allowed) throw new HttpError(400, `Deployment ${id} cannot be changed. ${may.reason}`)
    if (patch.revision_source && patch.revision_source !== current.source)
      throw new HttpError(400, `A revision of source ${patch.revision_source} is not available here.`)
    const { source, sourceConfig, latest } = current
    checkHere(patch, platform.computes.of(current), [
      ...customUrlProblems(platform, id, patch),
      ...(examined ?? []),
      ...patchProblems({ source, source_config: sourceConfig, source_revision_config: latest }, patch),
    ])
    // A listener's configuration is fixed after create.
    const { listener_config: _, ...changed } = given(patch.source_config ?? {})
    const merged = { ...sourceConfig, ...changed }
    resourceSpec = merged.resource_spec
    const revised = { ...latest, ...given(patch.source_revision_config ?? {}), repo_commit_sha: null }
    const hasSource = source !== 'internal_source' || !!revised.source_tarball_path
    if (always && !hasSource) throw new HttpError(400, `Deployment ${id} has no source yet. Upload one first.`)
    return {
      ...(patch.source_config && { sourceConfig: merged }),
      ...(patch.secrets && { secrets: platform.sealer.seal(patch.secrets satisfies Secret[], id) }),
      ...(hasSource && (always || patchMakesRevision(patch)) && { sourceRevisionConfig: revised }),
    }
  })
  await platform.customUrls.refresh()
  if (revisionId) noteRevision(platform, id, revisionId, { resourceSpec, trackedPackages: patch.tracked_packages })
  // Without a revision too: gateways have to learn a new address.
  platform.rollouts.wake(id)
  return revisionId
}

async function refuseTier(platform: Platform, { deployment_id }: { deployment_id: string }): Promise<never> {
  await find(platform, uuid('path', 'deployment_id', deployment_id))
  throw new HttpError(501, 'Nothing is billed on this machine, so a deployment has no tier that could be changed.')
}

/** Without null fields, which keep their value. */
const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as Partial<T>

async function remove({ store, rollouts, customUrls }: Platform, id: string, request: DeleteRequest): Promise<void> {
  const found = await store.findDeployment(id)
  if (!found) throw notFound('Deployment', id)
  const may = mayDeployment('forceDelete', found.status)
  if (request.isForced && !may.allowed) throw new HttpError(400, may.reason)
  await store.markDeleting(id, request)
  await customUrls.refresh()
  rollouts.wake(id, true)
}

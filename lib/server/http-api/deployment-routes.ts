import 'server-only'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import { HEALTH_GROUPS, type HealthGroup, healthGroup } from '@/lib/contracts/deployments/deployment-row'
import type { Setting, SettingsChange } from '@/lib/contracts/deployments/deployment-settings'
import { DeploymentCreate } from '@/lib/contracts/deployments/deployments'
import { LOG_LEVELS, LOG_TYPES } from '@/lib/contracts/deployments/logs'
import { MAX_SECRETS, type SecretChange } from '@/lib/contracts/deployments/secret-changes'
import { deploymentsWith } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { rightsOf } from '../access/actor'
import { editSecrets } from '../edits/edit-secrets'
import { readSecrets } from '../edits/read-secrets'
import { createDeployment } from '../resources/deployment-create'
import { readDeploymentRows, readRowsById } from '../resources/deployment-rows'
import { readSettings, saveSettings } from '../resources/deployment-settings'
import { readLogPage } from '../resources/logs/log-pages'
import { redeployRevision } from '../resources/revision-writes'
import { call } from '../upstream/call'
import { authorize } from '../upstream/call-context'
import { integer, route, text } from './route'
import {
  DeploymentsView,
  DeploymentView,
  deploymentView,
  LogView,
  RevisionsView,
  RevisionView,
  revisionView,
  SavedView,
  UploadView,
} from './views'

const FIELDS: Record<string, Setting> = {
  ref: 'source_revision_config.repo_ref',
  config_path: 'source_revision_config.graph_config_path',
  image: 'source_revision_config.image_uri',
  build_on_push: 'source_config.build_on_push',
  install_command: 'source_config.install_command',
  build_command: 'source_config.build_command',
  url: 'source_config.custom_url',
}
/** What the hosted service's signed addresses want where its response names no headers. */
const HOSTED_UPLOAD = { 'Content-Type': 'application/gzip', 'X-Goog-Content-Length-Range': '0,209715200' }
const value = z.string().max(10_000)
const isNotEmpty = (body: object) => Object.keys(body).length > 0
const Update = z
  .strictObject({
    ref: value.optional().describe('Branch, tag or commit of a repository.'),
    config_path: value.optional(),
    image: value.optional(),
    build_on_push: z.boolean().optional(),
    install_command: value.optional(),
    build_command: value.optional(),
    url: value.optional(),
  })
  .refine(isNotEmpty, 'Give at least one field.')
const SecretName = z.string().min(1).max(1_000)
const Secrets = z
  .strictObject({
    set: z.record(SecretName, z.string()).optional().describe('Values by name. They are never returned.'),
    remove: z.array(SecretName).max(MAX_SECRETS).optional(),
  })
  .refine(
    ({ set = {}, remove = [] }) => isNotEmpty(set) || remove.length > 0,
    'Give at least one secret to set or remove.',
  )

type Rows = Awaited<ReturnType<typeof readRowsById>>
type Filters = { name?: string; status?: string; health?: HealthGroup }
const fitting = (rows: Rows, { name = '', status, health }: Filters) =>
  rows.filter(
    (row) =>
      row.name.toLowerCase().includes(name.toLowerCase()) &&
      (status === undefined || row.status === status) &&
      (health === undefined || healthGroup(row) === health),
  )

export const deploymentRoutes = [
  route({
    id: 'listDeployments',
    method: 'GET',
    path: '/deployments',
    tag: 'Deployments',
    summary: 'List deployments with their health',
    role: 'viewer',
    query: z.strictObject({
      name: text('Part of the name.').optional(),
      status: text('The status as the control plane reports it.').optional(),
      health: z.enum(HEALTH_GROUPS).optional(),
      limit: integer(1, 100, 50),
      offset: integer(0, 1_000_000, 0),
    }),
    response: DeploymentsView,
    async handle({ actor, workspace, query: { limit, offset, ...filters }, signal }) {
      const chosen = deploymentsWith(await rightsOf(actor, workspace), 'viewer')
      if (!chosen) {
        const { name, ...rest } = filters
        const query = { ...rest, ...(name && { name_contains: name }), sort: 'created', limit, offset }
        const page = await readDeploymentRows(workspace, query, { actor, signal })
        const rows = page.rows.slice(0, limit)
        return {
          deployments: rows.map(deploymentView),
          has_more: page.hasNext,
          health: page.health?.counts ?? null,
        }
      }
      const rows = await readRowsById(workspace, chosen, { actor, signal })
      const found = fitting(rows, filters)
      return {
        deployments: found.slice(offset, offset + limit).map(deploymentView),
        has_more: found.length > offset + limit,
        health: countsOf(rows),
      }
    },
  }),
  route({
    id: 'createDeployment',
    method: 'POST',
    path: '/deployments',
    tag: 'Deployments',
    summary: 'Create a deployment',
    description:
      'Never creates two deployments with one name. A token that is limited to some deployments cannot create.',
    role: 'admin',
    body: DeploymentCreate,
    response: SavedView,
    async handle({ actor, workspace, body, key }) {
      const made = await createDeployment({ workspace, key, body }, { actor })
      return { deployment_id: made.deployment, revision_id: made.revision, note: made.note ?? null }
    },
  }),
  route({
    id: 'getDeployment',
    method: 'GET',
    path: '/deployments/{deployment_id}',
    tag: 'Deployments',
    summary: 'Read a deployment with its health',
    role: 'viewer',
    response: DeploymentView,
    async handle({ actor, workspace, params, signal }) {
      const [row] = await readRowsById(workspace, [idOf(params)], { actor, signal })
      if (!row) throw new AppError('not_found', 'This workspace has no such deployment.')
      return deploymentView(row)
    },
  }),
  route({
    id: 'updateDeployment',
    method: 'PATCH',
    path: '/deployments/{deployment_id}',
    tag: 'Deployments',
    summary: 'Change the settings of a deployment',
    description: 'Only the given fields change. A change of ref, configuration or image creates a revision.',
    role: 'admin',
    body: Update,
    response: SavedView,
    async handle({ actor, workspace, params, body, key }) {
      const place = { workspace, deploymentId: idOf(params) }
      const { snapshot } = await readSettings(place, actor)
      const change = Object.fromEntries(
        Object.entries(body).map(([field, given]) => [FIELDS[field], given]),
      ) as SettingsChange // the schema has the keys of FIELDS
      const saved = await saveSettings({ place, key, snapshot, change }, actor)
      return { deployment_id: place.deploymentId, revision_id: saved.revision, note: saved.note ?? null }
    },
  }),
  route({
    id: 'updateSecrets',
    method: 'PATCH',
    path: '/deployments/{deployment_id}/secrets',
    tag: 'Deployments',
    summary: 'Set and remove secrets of a deployment',
    description: 'Secrets that are not named keep their values.',
    role: 'admin',
    body: Secrets,
    response: SavedView,
    async handle({ actor, workspace, params, body, key }) {
      const place = { workspace, deploymentId: idOf(params) }
      await authorize(controlPlane.updateDeployment, { workspace, params, body: { secrets: [] } }, actor)
      const { snapshot } = await readSecrets(place, actor)
      if (!snapshot) throw new AppError('forbidden', 'Only administrators change secrets.')
      const changes: SecretChange[] = [
        ...(body.remove ?? []).map((name) => ({ kind: 'remove' as const, name })),
        ...Object.entries(body.set ?? {}).map(([name, given]) => ({ kind: 'set' as const, name, value: given })),
      ]
      const saved = await editSecrets({ place, key, snapshot, changes, actor })
      return { deployment_id: place.deploymentId, revision_id: saved.revision, note: saved.note ?? null }
    },
  }),
  route({
    id: 'listRevisions',
    method: 'GET',
    path: '/deployments/{deployment_id}/revisions',
    tag: 'Revisions',
    summary: 'List revisions, newest first',
    role: 'viewer',
    query: z.strictObject({ limit: integer(1, 100, 20), offset: integer(0, 1_000_000, 0) }),
    response: RevisionsView,
    async handle({ actor, workspace, params, query, signal }) {
      const input = { workspace, params: { deployment_id: idOf(params) }, query }
      const { resources, unread } = await call(controlPlane.listRevisions, input, { actor, signal })
      return {
        revisions: resources.map(revisionView),
        unread,
        has_more: resources.length + unread.length >= query.limit,
      }
    },
  }),
  route({
    id: 'createRevision',
    method: 'POST',
    path: '/deployments/{deployment_id}/revisions',
    tag: 'Revisions',
    summary: 'Redeploy a revision',
    description:
      'Builds or rolls out a revision again, by default the latest. Some servers restart it, others create a new one.',
    role: 'admin',
    body: z.strictObject({ revision_id: z.string().min(1).max(300).optional() }).default({}),
    response: SavedView,
    async handle({ actor, workspace, params, body, key }) {
      const deploymentId = idOf(params)
      await authorize(controlPlane.redeployRevision, { workspace, params }, actor)
      const revision = body.revision_id ?? (await latestOf(workspace, deploymentId, actor))
      const saved = await redeployRevision({ workspace, deploymentId, revision, key }, actor)
      return { deployment_id: deploymentId, revision_id: saved.revision, note: saved.note ?? null }
    },
  }),
  route({
    id: 'createUpload',
    method: 'POST',
    path: '/deployments/{deployment_id}/uploads',
    tag: 'Revisions',
    summary: 'Get a place for the archive of a folder',
    description:
      'PUT a gzipped tar archive to `url`, with `headers` and without a token; it works once. Then build the `upload`. Only for source internal_source.',
    role: 'admin',
    response: UploadView,
    async handle({ actor, workspace, params }) {
      const input = { workspace, params: { deployment_id: idOf(params) } }
      const place = await call(controlPlane.createUploadUrl, input, { actor })
      return { upload: place.object_path, url: place.upload_url, headers: place.upload_headers ?? HOSTED_UPLOAD }
    },
  }),
  route({
    id: 'createBuild',
    method: 'POST',
    path: '/deployments/{deployment_id}/builds',
    tag: 'Revisions',
    summary: 'Build a new revision',
    description:
      'Reads the source again, at the head of the branch or tag, or takes an upload. Unlike a redeployment, a repeat builds twice.',
    role: 'admin',
    body: z
      .strictObject({
        ref: value.optional(),
        config_path: value.optional(),
        upload: value.optional().describe('`upload` of the place that was uploaded to.'),
      })
      .default({}),
    response: SavedView,
    async handle({ actor, workspace, params, body: { ref, config_path, upload } }) {
      const deploymentId = idOf(params)
      const place = { workspace, params: { deployment_id: deploymentId } }
      const source_revision_config = {
        ...(ref && { repo_ref: ref }),
        ...(config_path && { graph_config_path: config_path }),
        ...(upload && { source_tarball_path: upload }),
      }
      if (!upload) {
        const { id } = await call(
          controlPlane.createRevision,
          { ...place, body: { source_revision_config } },
          { actor },
        )
        return { deployment_id: deploymentId, revision_id: id, note: null }
      }
      const body = { revision_source: 'internal_source' as const, source_revision_config }
      const changed = await call(controlPlane.updateDeployment, { ...place, body }, { actor })
      return { deployment_id: deploymentId, revision_id: changed.latest_revision_id ?? null, note: null }
    },
  }),
  route({
    id: 'getRevision',
    method: 'GET',
    path: '/deployments/{deployment_id}/revisions/{revision_id}',
    tag: 'Revisions',
    summary: 'Read a revision',
    role: 'viewer',
    response: RevisionView,
    async handle({ actor, workspace, params, signal }) {
      return revisionView(
        await call(controlPlane.getRevision, { workspace, params: params as never }, { actor, signal }),
      )
    },
  }),
  route({
    id: 'readLog',
    method: 'GET',
    path: '/deployments/{deployment_id}/logs',
    tag: 'Revisions',
    summary: 'Read a page of a log, oldest line first',
    description: 'The `deploy` log holds the roll-out and the lines of the agent server.',
    role: 'viewer',
    query: z.strictObject({
      type: z.enum(LOG_TYPES).default('deploy'),
      revision: text('Only this revision.').optional(),
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
      level: z.enum(LOG_LEVELS).optional(),
      text: text('Only lines that contain this text.').optional(),
      limit: integer(1, 1000, 200),
      after: text('`next` of the previous page.', 1_000).optional(),
    }),
    response: LogView,
    async handle({ actor, workspace, params, query, signal }) {
      const { after, text: sought, ...rest } = query
      const of = { workspace, deploymentId: idOf(params), ...rest, query: sought }
      const page = await readLogPage(of, after, { actor, signal })
      return {
        lines: page.logs.map(({ timestamp = null, level = null, message, run_id = null, revision_id = null }) => ({
          ...{ timestamp, level, message: message ?? '', run_id, revision_id },
        })),
        next: page.next_offset,
      }
    },
  }),
]

/** The path of these routes always has the parameter. */
const idOf = (params: Record<string, string>) => params.deployment_id as string

async function latestOf(workspace: string, deploymentId: string, actor: Parameters<typeof readSettings>[1]) {
  const input = { workspace, params: { deployment_id: deploymentId } }
  const { latest_revision_id: latest } = await call(controlPlane.getDeployment, input, { actor })
  if (!latest) throw new AppError('conflict', 'This deployment has no revision yet.')
  return latest
}

export function countsOf(rows: Rows): Record<HealthGroup, number> {
  const counts = { ok: 0, failing: 0, progress: 0, unknown: 0 }
  for (const row of rows) counts[healthGroup(row)] += 1
  return counts
}

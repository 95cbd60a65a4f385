import 'server-only'
import { z } from 'zod'
import type { RunRow, RunRowsPage } from '@/lib/contracts/agents/run-row'
import {
  type DeploymentRow,
  HEALTH_GROUPS,
  healthGroup,
  type RevisionFacts,
  rowHealth,
} from '@/lib/contracts/deployments/deployment-row'
import { type Revision, UnreadRevision } from '@/lib/contracts/deployments/revisions'
import { ROLES } from '@/lib/contracts/wire/api'

// What the HTTP API responds with. Nothing that is not named here leaves through it.

const moment = z.string().describe('ISO 8601')
const RevisionRef = z.object({
  id: z.string(),
  status: z.string().nullable().describe('Null if it could not be read in time.'),
  created_at: moment.nullable(),
})

export const DeploymentView = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string().describe('As the control plane reports it.'),
  health: z.enum(HEALTH_GROUPS).describe('`failing` includes a failed update while an earlier revision serves.'),
  health_label: z.string(),
  health_detail: z.string(),
  source: z.string(),
  type: z.string().nullable(),
  repository: z.string().nullable(),
  ref: z.string().nullable(),
  commit: z.string().nullable(),
  image: z.string().nullable(),
  image_version: z.string().nullable(),
  url: z.string().nullable().describe('The address of its agent server.'),
  secrets: z.array(z.string()).describe('Names only. Empty if the workspace shows them to administrators only.'),
  latest_revision: RevisionRef.nullable(),
  active_revision: RevisionRef.nullable(),
  created_at: moment,
  updated_at: moment,
})

const revisionRef = (facts: RevisionFacts | null) =>
  facts && { id: facts.id, status: facts.status, created_at: facts.at }

export function deploymentView(row: DeploymentRow): z.input<typeof DeploymentView> {
  const { label, detail } = rowHealth(row)
  const { id, name, status, source, type, ref, commit, image, url, secrets } = row
  return {
    ...{ id, name, status, source, type, ref, commit, image, url, secrets },
    health: healthGroup(row),
    health_label: label,
    health_detail: detail,
    repository: row.repo,
    image_version: row.imageVersion,
    latest_revision: revisionRef(row.latest),
    active_revision: revisionRef(row.active),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  }
}

const HealthCounts = z.object({
  ok: z.int(),
  failing: z.int(),
  progress: z.int(),
  unknown: z.int(),
})
export const DeploymentsView = z.object({
  deployments: z.array(DeploymentView),
  has_more: z.boolean(),
  health: HealthCounts.nullable().describe('Of all deployments, whatever the filters. Null if it is not known.'),
})

export const HealthView = z.object({
  control_plane: z.enum(['reachable', 'unreachable']),
  problem: z.string().nullable().describe('Why the control plane could not be read.'),
  deployments: HealthCounts.nullable().describe('Null if they could not be read.'),
  is_cut: z.boolean().describe('There are more deployments than were counted.'),
})

export const RevisionView = z.object({
  id: z.string(),
  status: z.string(),
  source: z.string().nullable(),
  ref: z.string().nullable(),
  commit: z.string().nullable(),
  image: z.string().nullable(),
  config_path: z.string().nullable(),
  created_at: moment,
  updated_at: moment,
})
export const RevisionsView = z.object({
  revisions: z.array(RevisionView),
  unread: z.array(UnreadRevision).describe('Listed revisions whose records are not in the known form.'),
  has_more: z.boolean(),
})

export const revisionView = (one: Revision): z.input<typeof RevisionView> => {
  const { repo_ref, repo_commit_sha, image_uri, graph_config_path } = one.source_revision_config
  return {
    ...{ id: one.id, status: one.status, source: one.source ?? null },
    ...{ ref: repo_ref ?? null, commit: repo_commit_sha ?? null, image: image_uri ?? null },
    config_path: graph_config_path ?? null,
    ...{ created_at: one.created_at, updated_at: one.updated_at },
  }
}

/** The outcome of a write. */
export const SavedView = z.object({
  deployment_id: z.string(),
  revision_id: z
    .string()
    .nullable()
    .describe('The revision that the change created or restarted, if the server names one.'),
  note: z.string().nullable(),
})

/** Where a folder is uploaded to. */
export const UploadView = z.object({
  upload: z.string().describe('What a build names.'),
  url: z.string().describe('For one PUT request, without a token.'),
  headers: z.record(z.string(), z.string()),
})

export const LogView = z.object({
  lines: z.array(
    z.object({
      timestamp: z
        .union([z.string(), z.number()])
        .nullable()
        .describe('Epoch milliseconds or text, as the server sends it.'),
      level: z.string().nullable(),
      message: z.string(),
      run_id: z.string().nullable(),
      revision_id: z.string().nullable(),
    }),
  ),
  next: z.string().nullable().describe('`after` of the next page; null at the end.'),
})

export const RunView = z.object({
  id: z.string(),
  recording_id: z.string().nullable().describe('Null for a run that was started elsewhere and is not recorded here.'),
  deployment_id: z.string(),
  thread_id: z.string().nullable(),
  run_id: z.string().nullable(),
  assistant: z.string(),
  status: z.string(),
  started_by: z.string(),
  started_at: moment,
  ended_at: moment.nullable(),
  is_stateless: z.boolean(),
  input: z.string().nullable().describe('The beginning of what the run was asked; null if unknown.'),
  error: z.string().nullable().describe('The first line of its error; null if it has none or none is known.'),
})
export const RunsView = z.object({
  runs: z.array(RunView).describe('Newest first.'),
  next: z.string().nullable().describe('`after` of the next page; null at the end.'),
  is_partial: z
    .boolean()
    .describe(
      'There may be more runs that were started elsewhere: servers list runs by thread, so the search is limited.',
    ),
  problems: z.array(z.object({ deployment_id: z.string(), message: z.string() })),
})

const runView = (row: RunRow): z.input<typeof RunView> => ({
  ...{ id: row.id, recording_id: row.recording, deployment_id: row.deployment, thread_id: row.thread },
  ...{ run_id: row.run, assistant: row.assistant, status: row.status, started_by: row.startedBy },
  ...{ started_at: row.startedAt, ended_at: row.endedAt, is_stateless: row.isStateless },
  ...{ input: row.input ?? null, error: row.error ?? null },
})

export const runsView = ({ rows, next, looked }: RunRowsPage): z.input<typeof RunsView> => ({
  runs: rows.map(runView),
  next,
  is_partial: Boolean(looked && (looked.isPartial || looked.isPending || looked.traced?.isPartial)),
  problems: (looked?.problems ?? []).map(({ deployment, message }) => ({ deployment_id: deployment, message })),
})

export const RecordingView = z.object({
  id: z.string(),
  deployment_id: z.string(),
  thread_id: z.string().nullable(),
  run_id: z.string().nullable(),
  assistant: z.string(),
  phase: z.string(),
  outcome: z.string().nullable(),
  started_by: z.string(),
  started_at: moment,
  ended_at: moment.nullable(),
  entries: z.int(),
  bytes: z.int(),
})

export const AuditView = z.object({
  entries: z
    .array(
      z.object({
        seq: z.int(),
        at: moment,
        actor: z.string(),
        role: z.enum(ROLES).nullable(),
        action: z.string().describe('A sentence that follows the actor: “redeployed revision 8f31 of billing”.'),
        operation: z.string(),
        params: z.record(z.string(), z.string()),
        fields: z.array(z.string()).describe('Names of the fields that were sent, never their values.'),
        outcome: z.string(),
        upstream_status: z.int().nullable(),
        request_id: z.string(),
      }),
    )
    .describe('Newest first.'),
  next: z.int().nullable().describe('`before` of the next page; null at the end.'),
})

export const TokenView = z.object({
  id: z.string(),
  workspace: z.string(),
  actor: z.string().describe('The name under which the audit trail has the token’s actions.'),
  role: z.enum(ROLES).describe('What the token may do now: never more than its owner.'),
  deployments: z.array(z.string()).nullable().describe('The only deployments that it reaches; null: all.'),
})

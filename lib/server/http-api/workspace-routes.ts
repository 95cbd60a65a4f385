import 'server-only'
import { z } from 'zod'
import { STATUS_GROUPS, type StatusGroup } from '@/lib/contracts/agents/run-row'
import { AUDIT_GROUPS, type AuditGroup } from '@/lib/contracts/audit/actions'
import { AUDIT_OUTCOMES, type AuditOutcome, auditSentence, namedSentence } from '@/lib/contracts/audit/sentence'
import { controlPlane } from '@/lib/contracts/control-plane'
import { deploymentsWith, highestRole } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { rightsOf } from '../access/actor'
import { queryMoment } from '../process/query-fields'
import { readRecording, recordingFile } from '../records/recordings'
import { readAuditPage } from '../resources/changes/audit'
import { readRowsById } from '../resources/deployment-rows'
import { healthOf, readFleet } from '../resources/fleet'
import { cursorAfter, isAfter, readCursor } from '../resources/runs/cursor'
import { readRunRows } from '../resources/runs/list'
import { call } from '../upstream/call'
import { countsOf } from './deployment-routes'
import { integer, route, text } from './route'
import { AuditView, HealthView, RecordingView, RunsView, runsView, TokenView } from './views'

const keysOf = <Key extends string>(of: Record<Key, unknown>) => Object.keys(of) as [Key, ...Key[]]
const when = queryMoment.describe('A date and time, or an age such as 90m, 24h or 7d.')

export const workspaceRoutes = [
  route({
    id: 'getToken',
    method: 'GET',
    path: '/token',
    tag: 'Workspace',
    summary: 'Read what this token may do',
    role: 'viewer',
    response: TokenView,
    async handle({ actor, workspace }) {
      const rights = await rightsOf(actor, workspace)
      const role = highestRole(rights)
      if (!role || !actor.token) throw new AppError('unauthenticated', 'The token is no longer valid.')
      return { id: actor.token.id, workspace, actor: actor.email, role, deployments: deploymentsWith(rights, 'viewer') }
    },
  }),
  route({
    id: 'getHealth',
    method: 'GET',
    path: '/health',
    tag: 'Workspace',
    summary: 'Count the deployments of the workspace by health',
    role: 'viewer',
    response: HealthView,
    async handle({ actor, workspace, signal }) {
      const chosen = deploymentsWith(await rightsOf(actor, workspace), 'viewer')
      try {
        const { counts, isCut } = chosen
          ? { counts: countsOf(await readRowsById(workspace, chosen, { actor, signal })), isCut: false }
          : healthOf(await (await readFleet(workspace, {}, { actor })).whole())
        return { control_plane: 'reachable' as const, problem: null, deployments: counts, is_cut: isCut }
      } catch (error) {
        if (!(error instanceof AppError) || !error.code.startsWith('upstream_')) throw error
        return { control_plane: 'unreachable' as const, problem: error.message, deployments: null, is_cut: false }
      }
    },
  }),
  route({
    id: 'listIntegrations',
    method: 'GET',
    path: '/integrations',
    tag: 'Workspace',
    summary: 'List the integrations that read repositories',
    description: 'A deployment from a repository is created with the id of one.',
    role: 'viewer',
    response: z.object({ integrations: z.array(z.object({ id: z.string(), name: z.string().nullable() })) }),
    async handle({ actor, workspace, signal }) {
      const found = await call(controlPlane.listGithubIntegrations, { workspace }, { actor, signal })
      return { integrations: found.map(({ id, name }) => ({ id, name: name ?? null })) }
    },
  }),
  route({
    id: 'listRuns',
    method: 'GET',
    path: '/runs',
    tag: 'Runs',
    summary: 'List runs, newest first',
    description: 'Recorded runs, and runs that were started elsewhere as far as servers and traces tell.',
    role: 'viewer',
    query: z.strictObject({
      deployment: text('Only this deployment.').optional(),
      status: z.enum(keysOf<StatusGroup>(STATUS_GROUPS)).optional(),
      assistant: text('An assistant’s id, or a graph’s name.').optional(),
      thread: text('Only this thread.').optional(),
      by: text('Part of the address of who started it.').optional(),
      text: text('Part of an id, or of the request.').optional(),
      since: when.optional(),
      until: when.optional(),
      limit: integer(1, 100, 25),
      after: text('`next` of the previous page.', 1_000).optional(),
    }),
    response: RunsView,
    async handle({ actor, workspace, query }) {
      const chosen = deploymentsWith(await rightsOf(actor, workspace), 'viewer')
      if (!chosen || query.deployment) return runsView(await readRunRows(workspace, query, actor))
      const pages = await Promise.all(
        chosen.map(async (deployment) => runsView(await readRunRows(workspace, { ...query, deployment }, actor))),
      )
      return mergedPage(pages, query)
    },
  }),
  route({
    id: 'getRecording',
    method: 'GET',
    path: '/recordings/{recording_id}',
    tag: 'Runs',
    summary: 'Read the record of a recorded run',
    role: 'viewer',
    response: RecordingView,
    async handle({ actor, workspace, params }) {
      const one = await readRecording(actor, placeOf(workspace, params))
      return {
        ...{ id: one.id, deployment_id: one.deployment, thread_id: one.thread, run_id: one.run },
        ...{ assistant: one.assistant, phase: one.phase, outcome: one.outcome, started_by: one.startedBy },
        ...{ started_at: one.startedAt, ended_at: one.endedAt, entries: one.entries, bytes: one.bytes },
      }
    },
  }),
  route({
    id: 'downloadRecording',
    method: 'GET',
    path: '/recordings/{recording_id}/events',
    tag: 'Runs',
    summary: 'Download a recording as JSON Lines',
    description: 'The first line is a header, the last one counts the events. The console opens such a file.',
    role: 'viewer',
    response: 'application/jsonl',
    handle: ({ actor, workspace, params }) => recordingFile(actor, placeOf(workspace, params)),
  }),
  route({
    id: 'listAudit',
    method: 'GET',
    path: '/audit',
    tag: 'Workspace',
    summary: 'List the audit trail, newest first',
    role: 'admin',
    query: z.strictObject({
      by: text('Part of the actor.').optional(),
      deployment: text('Only this deployment.').optional(),
      group: z.enum(keysOf<AuditGroup>(AUDIT_GROUPS)).optional(),
      outcome: z.enum(keysOf<AuditOutcome>(AUDIT_OUTCOMES)).optional(),
      since: when.optional(),
      until: when.optional(),
      limit: integer(1, 100, 50),
      before: text('`next` of the previous page.').optional(),
    }),
    response: AuditView,
    async handle({ actor, workspace, query }) {
      const { rows, next, names } = await readAuditPage(workspace, query, actor)
      return {
        entries: rows.map((row) => ({
          ...{ seq: row.seq, at: row.at, actor: row.actor, role: row.role, operation: row.operation },
          ...{ params: row.params, fields: [...row.fields], outcome: row.outcome },
          action: namedSentence(auditSentence(row, row.outcome), names),
          upstream_status: row.upstreamStatus,
          request_id: row.requestId,
        })),
        next,
      }
    },
  }),
]

/** The path of these routes always has the parameter. */
const placeOf = (workspace: string, params: Record<string, string>) => ({
  workspace,
  recording: params.recording_id as string,
})

type Page = z.input<typeof RunsView>
type Run = Page['runs'][number]
const newestFirst = (a: Run, b: Run) =>
  Date.parse(b.started_at) - Date.parse(a.started_at) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

/** One page from those of several deployments, which all began at the same cursor. */
function mergedPage(pages: readonly Page[], { limit, after }: { limit: number; after?: string | undefined }): Page {
  const all = pages.flatMap(({ runs }) => runs).sort(newestFirst)
  const [traced] = pages
    .flatMap(({ next }) => (next ? (readCursor(next)?.traced ?? []) : []))
    .sort((a, b) => (isAfter(a, b) ? 1 : -1))
  const rows = all.map(({ id, started_at: startedAt }) => ({ id, startedAt }))
  return {
    runs: all.slice(0, limit),
    next: cursorAfter(rows, { limit, after: after ? readCursor(after) : undefined, traced }),
    is_partial: pages.some(({ is_partial }) => is_partial),
    problems: pages.flatMap(({ problems }) => problems),
  }
}

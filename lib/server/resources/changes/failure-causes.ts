import 'server-only'
import { z } from 'zod'
import type { FailureCause } from '@/lib/contracts/audit/audit-row'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import type { Actor } from '../../access/actor'
import { mapConcurrent } from '../../process/map-concurrent'
import { parseInput } from '../../process/result'
import { changesBefore } from '../../records/changes'
import { serveRead } from '../../relay/serve-read'
import { call } from '../../upstream/call'
import { authorize } from '../../upstream/call-context'
import { readLogPage } from '../logs/log-pages'

const MOST = 20
const TIMEOUT_MS = 5_000
const MAX_LENGTH = 300
const MOST_ERRORS = 20
/** A change is recorded before its revision exists; clocks of console and control plane may differ. */
const CLOCKS_MS = 30_000

const Query = z.strictObject({
  /** Pairs `deployment.revision`, with commas between. */
  of: z
    .string()
    .max(4_000)
    .transform((text) => text.split(',').map((pair) => pair.split('.')))
    .refine((pairs) => pairs.length <= MOST && pairs.every(({ length }) => length === 2), 'Write deployment.revision.'),
})

/**
 * Why these revisions failed, by deployment id. What cannot be read in time is null: the list itself comes from
 * elsewhere. Throws AppError forbidden or not_found without a role.
 */
export async function readFailureCauses(
  workspace: string,
  query: unknown,
  options: { actor: Actor; signal?: AbortSignal },
): Promise<Record<string, FailureCause>> {
  await authorize(controlPlane.listRevisionLogs, { workspace }, options.actor)
  const pairs = parseInput(Query, query).of as [string, string][]
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(options.signal ? [options.signal] : [])])
  const read = { ...options, signal }
  const found = await mapConcurrent(pairs, async ([deploymentId, revision]) => {
    const params = { deployment_id: deploymentId, revision_id: revision }
    const [error, known] = await Promise.all([
      causeIn({ workspace, deploymentId, revision }, read),
      call(controlPlane.getRevision, { workspace, params }, read).catch(() => null),
    ])
    return { deploymentId, error, createdAt: known?.created_at ?? null, commit: known && commitOf(known) }
  })
  const times = new Map(
    found.map(({ deploymentId, createdAt }) => [
      deploymentId,
      createdAt && new Date(Date.parse(createdAt) + CLOCKS_MS).toISOString(),
    ]),
  )
  const changes = await changesBefore(options.actor, workspace, times)
  return Object.fromEntries(
    found.map(({ deploymentId, error, commit }) => [
      deploymentId,
      { error, commit, change: changes.get(deploymentId) ?? null },
    ]),
  )
}

function commitOf({ source_revision_config: { repo_commit_sha: sha }, commit }: Revision): FailureCause['commit'] {
  return sha ? { sha, subject: commit?.message.split('\n')[0] ?? null, author: commit?.author ?? null } : null
}

type RevisionOf = { workspace: string; deploymentId: string; revision: string }

/**
 * The error that says why: of a build, the last one if it is the builder's own, which names the command and then what that said.
 * Else the first one, which others may follow from.
 */
async function causeIn(of: RevisionOf, options: { actor: Actor; signal: AbortSignal }): Promise<string | null> {
  for (const type of ['build', 'deploy'] as const) {
    const errors = { ...of, type, level: 'ERROR' as const }
    const [last] = await linesOf({ ...errors, limit: 1, isNewestFirst: true }, options)
    const cause = last && commandCause(last)
    if (cause) return cause.slice(0, MAX_LENGTH)
    if (!last) continue
    const first = (await linesOf({ ...errors, limit: MOST_ERRORS }, options)).find((error) => !BARE_END.test(error))
    const lines = nonEmptyLines(first ?? last)
    const line = lines.find((text) => /\b(error|fatal|cannot)\b/i.test(text)) ?? lines[1] ?? lines[0]
    if (line) return line.trim().slice(0, MAX_LENGTH)
  }
  return null
}

const linesOf = (of: Parameters<typeof readLogPage>[0], options: { actor: Actor; signal: AbortSignal }) =>
  readLogPage(of, undefined, options).then(
    ({ logs }) => logs.map(({ message }) => message ?? ''),
    () => [],
  )

const nonEmptyLines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

/** The command that failed and what it said, of an error of the embedded builder. */
function commandCause(error: string): string | undefined {
  const [head = '', ...said] = nonEmptyLines(error)
  if (!COMMAND_END.test(head)) return undefined
  // Git says more before and after its reason; of other commands, the builder has chosen it.
  const reason = /^git\b/.test(head) ? (said.find((line) => /^(fatal|error): /.test(line)) ?? said[0]) : said[0]
  return reason ? `${head.replace(/\.$/, '')}: ${reason.trim()}` : head
}

const COMMAND_END =
  /^(git [\w-]+|The (install |build )?command) (ended with|did not end|was killed|cannot be started)\b/
/** Says only that a command failed. */
const BARE_END = /did not complete successfully: exit code: \d+$/

/** Serves `GET /api/causes/{workspace}`. */
export const serveFailureCauses = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, options) => readFailureCauses(workspace, query, options))

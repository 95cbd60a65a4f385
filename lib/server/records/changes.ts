import 'server-only'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import { operationsOf } from '@/lib/contracts/audit/actions'
import type { RecentChange } from '@/lib/contracts/audit/audit-row'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Change } from '@/lib/contracts/deployments/changes'
import type { AssistantPlace, DeploymentPlace } from '@/lib/contracts/wire/places'
import type { Actor } from '../access/actor'
import { workspace as workspaceOf } from '../access/workspaces'
import { authorizeRead, authorizeWithin } from '../audit/own-records'
import { db } from '../process/db'
import { audit } from '../process/schema'
import { mayNameSecrets } from '../upstream/secret-names'

// Parts of the audit trail that every member may read: who changed a revision, an assistant or a secret.
// Only administrators may read the whole trail.

type Row = Pick<
  typeof audit.$inferSelect,
  'seq' | 'at' | 'intent' | 'kind' | 'outcome' | 'actor' | 'actorEmail' | 'operation' | 'params' | 'fields'
>
type Write = Row & { who: string; result: Row | undefined; isDone: boolean }

/** Writes of these operations in the workspace with their outcomes, newest first. Reads at most `maxRows` audit rows. */
async function writesOf(workspace: string, operations: readonly string[], maxRows: number): Promise<Write[]> {
  const { seq, at, intent, kind, outcome, actor, actorEmail, operation, params, fields } = audit
  const rows: Row[] = await (await db())
    .select({ seq, at, intent, kind, outcome, actor, actorEmail, operation, params, fields })
    .from(audit)
    .where(
      and(eq(audit.workspace, workspace), inArray(operation, [...operations]), inArray(kind, ['intent', 'outcome'])),
    )
    .orderBy(desc(seq))
    .limit(maxRows)
  const results = new Map(rows.flatMap((row) => (row.intent === null ? [] : [[row.intent, row]])))
  return rows
    .filter((row) => row.kind === 'intent')
    .map((row) => {
      const result = results.get(row.seq)
      const isDone = result?.outcome?.startsWith('200 ') ?? false
      return { ...row, who: row.actorEmail || row.actor, result, isDone }
    })
}

const REVISION_WRITES: Change['operation'][] = [
  'createDeployment',
  'updateDeployment',
  'createRevision',
  'redeployRevision',
  'interruptRevision',
]
const CONTROL_PLANE = 'control-plane.'

/**
 * Changes to a deployment from this console, newest first. Includes all creations of deployments, since they have no id, but not
 * for someone who is limited to some.
 */
export async function listRevisionChanges(
  actor: Actor,
  { workspace, deploymentId }: DeploymentPlace,
): Promise<Change[]> {
  const role = await authorizeRead(consoleRecords.readChanges, actor, workspace, deploymentId)
  const limit = await authorizeWithin(consoleRecords.readChanges, actor, workspace)
  const showsNames = mayNameSecrets(role, await workspaceOf(workspace))
  const operations = REVISION_WRITES.map((operation) => CONTROL_PLANE + operation)
  const writes = await writesOf(workspace, operations, 2_000)
  return writes.flatMap((write): Change[] => {
    const operation = REVISION_WRITES.find((one) => CONTROL_PLANE + one === write.operation)
    // Compared here because callers can write an escaped NUL, which PostgreSQL cannot read in JSON.
    const isHere = (operation === 'createDeployment' && !limit) || write.params.deployment_id === deploymentId
    if (!operation || !isHere) return []
    return [
      {
        seq: write.seq,
        at: write.at.toISOString(),
        until: write.result?.at.toISOString() ?? null,
        who: write.who,
        operation,
        revision: write.params.revision_id ?? null,
        fields: showsNames ? write.fields : withoutNames(write.fields),
        isDone: write.isDone,
      },
    ]
  })
}

const RECENT = (['deployments', 'assistants', 'crons'] as const).flatMap(operationsOf)

/** Which deployments' changes someone may read, and whether with the names of secrets. */
async function readerOf(actor: Actor, workspace: string): Promise<{ limit: string[] | null; showsNames: boolean }> {
  const limit = await authorizeWithin(consoleRecords.readChanges, actor, workspace)
  // A limited reader may have several roles, so the lowest one counts.
  const role = limit ? 'viewer' : await authorizeRead(consoleRecords.readChanges, actor, workspace)
  return { limit, showsNames: mayNameSecrets(role, await workspaceOf(workspace)) }
}

/** The newest changes to deployments, assistants and crons from this console that were made or may have been. */
export async function listRecentChanges(actor: Actor, workspace: string, count: number): Promise<RecentChange[]> {
  const { limit, showsNames } = await readerOf(actor, workspace)
  const writes = await writesOf(workspace, RECENT, 200)
  return writes
    .filter(({ result, isDone }) => isDone || !result)
    .filter(({ params }) => !limit || limit.includes(params.deployment_id ?? params.deployment ?? ''))
    .slice(0, count)
    .map((write) => changeOf(write, showsNames))
}

/** The last change to each of these deployments before a time (ISO): by a revision's failure, what preceded it. */
export async function changesBefore(
  actor: Actor,
  workspace: string,
  deployments: ReadonlyMap<string, string | null>,
): Promise<Map<string, RecentChange>> {
  return await newestOfEach(actor, workspace, (id, { isDone, at }) => {
    // Without a time nothing precedes it: comparing with NaN is false.
    return isDone && at.getTime() <= Date.parse(deployments.get(id) ?? '')
  })
}

/** The last change of each of these deployments that was made or may have been, among the newest of the workspace. */
export async function lastChanges(
  actor: Actor,
  workspace: string,
  deployments: readonly string[],
): Promise<Map<string, RecentChange>> {
  return await newestOfEach(
    actor,
    workspace,
    (id, { isDone, result }) => deployments.includes(id) && (isDone || !result),
  )
}

/** The newest change of each deployment that is meant. */
async function newestOfEach(
  actor: Actor,
  workspace: string,
  isMeant: (id: string, write: Write) => boolean,
): Promise<Map<string, RecentChange>> {
  const { limit, showsNames } = await readerOf(actor, workspace)
  const found = new Map<string, RecentChange>()
  for (const write of await writesOf(workspace, operationsOf('deployments'), 2_000)) {
    const id = write.params.deployment_id
    if (id && (!limit || limit.includes(id)) && !found.has(id) && isMeant(id, write))
      found.set(id, changeOf(write, showsNames))
  }
  return found
}

const changeOf = ({ seq, at, who, operation, params, fields, isDone }: Write, showsNames: boolean): RecentChange => ({
  ...{ seq, at: at.toISOString(), actor: who, operation, params, outcome: isDone ? 'done' : 'unknown' },
  fields: showsNames ? fields : withoutNames(fields),
})

/** Hides the names of secrets: their edits are recorded as `secrets.set.NAME`. */
const withoutNames = (fields: readonly string[]) => [
  ...new Set(fields.map((field) => (field.startsWith('secrets.') ? 'secrets' : field))),
]

const ASSISTANT_WRITES: AssistantChange['operation'][] = [
  'createAssistant',
  'updateAssistant',
  'setLatestAssistantVersion',
]
const AGENT_SERVER = 'agent-server.'

/** Successful changes to an assistant, newest first. Includes all creations of assistants in the deployment. */
export async function listAssistantChanges(
  actor: Actor,
  { workspace, deploymentId, assistant }: AssistantPlace,
): Promise<AssistantChange[]> {
  await authorizeRead(consoleRecords.readChanges, actor, workspace, deploymentId)
  const operations = ASSISTANT_WRITES.map((operation) => AGENT_SERVER + operation)
  const writes = await writesOf(workspace, operations, 2_000)
  return writes.flatMap(({ seq, at, who, result, isDone, params, operation: name }): AssistantChange[] => {
    const operation = ASSISTANT_WRITES.find((one) => AGENT_SERVER + one === name)
    const isHere =
      params.deployment === deploymentId && (operation === 'createAssistant' || params.assistant_id === assistant)
    if (!operation || !isHere || !result || !isDone) return []
    return [{ seq, at: at.toISOString(), until: result.at.toISOString(), who, operation }]
  })
}

/** Matches the fields of an update of secrets in its audit entry. */
const SECRET_FIELD = /^secrets\.(set|remove|renamed-from|renamed-to)\.([\s\S]+)$/

export type SecretHistory = Map<string, { who: string; at: string; isGone: boolean }>

/** The last successful change of each secret from this console. Empty for users who may not see the names. */
export async function secretHistory(
  actor: Actor,
  { workspace, deploymentId }: DeploymentPlace,
): Promise<SecretHistory> {
  const role = await authorizeRead(consoleRecords.readChanges, actor, workspace, deploymentId)
  const history: SecretHistory = new Map()
  if (!mayNameSecrets(role, await workspaceOf(workspace))) return history
  for (const { params, fields, who, at, isDone } of await writesOf(
    workspace,
    [`${CONTROL_PLANE}updateDeployment`],
    5_000,
  )) {
    if (!isDone || params.deployment_id !== deploymentId) continue
    for (const field of fields) {
      const [, verb, name] = SECRET_FIELD.exec(field) ?? []
      if (name === undefined || history.has(name)) continue
      const isSetToo = fields.includes(`secrets.set.${name}`) || fields.includes(`secrets.renamed-to.${name}`)
      const isGone = !isSetToo && (verb === 'remove' || verb === 'renamed-from')
      history.set(name, { who, at: at.toISOString(), isGone })
    }
  }
  return history
}

import 'server-only'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Change } from '@/lib/contracts/deployments/changes'
import { AppError } from '@/lib/errors'
import { type Actor, roleOf } from '../access/actor'
import { workspace } from '../access/workspaces'
import { db } from '../process/db'
import { audit } from '../process/schema'
import { mayNameSecrets } from '../upstream/secret-names'

const OPERATIONS: Change['operation'][] = [
  'createDeployment',
  'updateDeployment',
  'createRevision',
  'redeployRevision',
  'interruptRevision',
]
const PREFIX = 'control-plane.'
/** Newest rows of a workspace that are looked through; what is older is not known here. */
const MAX_ROWS = 2_000

/**
 * Who changed a deployment from this console, newest first. For every member: who made a revision is part of what a revision
 * is; the whole trail stays with administrators. Creations of all deployments are in it, since they name no id.
 */
export async function listChanges(reader: Actor, place: { workspace: string; deployment: string }): Promise<Change[]> {
  const role = await roleOf(reader, place.workspace)
  if (!role) throw new AppError('not_found', 'There is no such workspace, or you are not a member of it.')
  const showsNames = mayNameSecrets(role, await workspace(place.workspace))
  const store = await db()
  const names = OPERATIONS.map((operation) => PREFIX + operation)
  const rows = await store
    .select()
    .from(audit)
    .where(
      and(
        eq(audit.workspace, place.workspace),
        inArray(audit.operation, names),
        inArray(audit.kind, ['intent', 'outcome']),
      ),
    )
    .orderBy(desc(audit.seq))
    .limit(MAX_ROWS)
  const outcomes = new Map(rows.flatMap((row) => (row.intent === null ? [] : [[row.intent, row]])))
  return rows.flatMap((row): Change[] => {
    const operation = OPERATIONS.find((one) => PREFIX + one === row.operation)
    // Compared here: PostgreSQL cannot look into JSON text that holds an escaped NUL, and a caller can write one.
    const isHere = operation === 'createDeployment' || row.params.deployment_id === place.deployment
    if (row.kind !== 'intent' || !operation || !isHere) return []
    const outcome = outcomes.get(row.seq)
    return [
      {
        seq: row.seq,
        at: row.at.toISOString(),
        until: outcome?.at.toISOString() ?? null,
        who: row.actorEmail || row.actor,
        operation,
        revision: row.params.revision_id ?? null,
        fields: showsNames ? row.fields : withoutNames(row.fields),
        isDone: outcome?.outcome?.startsWith('200 ') ?? false,
      },
    ]
  })
}

/** Edits of secrets are recorded as `secrets.set.NAME`. */
const withoutNames = (fields: readonly string[]) => [
  ...new Set(fields.map((field) => (field.startsWith('secrets.') ? 'secrets' : field))),
]

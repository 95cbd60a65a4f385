import 'server-only'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import { AppError } from '@/lib/errors'
import { type Actor, roleOf } from '../access/actor'
import { db } from '../process/db'
import { audit } from '../process/schema'
import type { AssistantPlace } from './assistants'

const OPERATIONS: AssistantChange['operation'][] = ['createAssistant', 'updateAssistant', 'setLatestAssistantVersion']
const PREFIX = 'agent-server.'
/** Newest rows of a workspace that are looked through; what is older is not known here. */
const MAX_ROWS = 2_000

/**
 * Who changed an assistant from this console, newest first; only what was done. For every member: who made a version is part of
 * what a version is. Creations of all assistants of the deployment are in it, since they name no id.
 */
export async function listAssistantChanges(reader: Actor, place: AssistantPlace): Promise<AssistantChange[]> {
  if (!(await roleOf(reader, place.workspace)))
    throw new AppError('not_found', 'There is no such workspace, or you are not a member of it.')
  const rows = await (await db())
    .select()
    .from(audit)
    .where(
      and(
        eq(audit.workspace, place.workspace),
        inArray(
          audit.operation,
          OPERATIONS.map((operation) => PREFIX + operation),
        ),
        inArray(audit.kind, ['intent', 'outcome']),
      ),
    )
    .orderBy(desc(audit.seq))
    .limit(MAX_ROWS)
  const outcomes = new Map(rows.flatMap((row) => (row.intent === null ? [] : [[row.intent, row]])))
  return rows.flatMap((row): AssistantChange[] => {
    const operation = OPERATIONS.find((one) => PREFIX + one === row.operation)
    const outcome = outcomes.get(row.seq)
    // Compared here: PostgreSQL cannot look into JSON text that holds an escaped NUL, and a caller can write one.
    const isHere =
      row.params.deployment === place.deployment &&
      (operation === 'createAssistant' || row.params.assistant_id === place.assistant)
    if (row.kind !== 'intent' || !operation || !isHere || !outcome?.outcome?.startsWith('200 ')) return []
    return [
      {
        seq: row.seq,
        at: row.at.toISOString(),
        until: outcome.at.toISOString(),
        who: row.actorEmail || row.actor,
        operation,
      },
    ]
  })
}

import 'server-only'
import { and, desc, eq, inArray } from 'drizzle-orm'
import { db } from '../process/db'
import { audit } from '../process/schema'
import type { EditPlace } from './raw-deployment'

/** Names of secrets that an update touched, as its audit entry lists them: the names, and nothing of the values. */
const FIELD = /^secrets\.(set|remove|renamed-from|renamed-to)\.([\s\S]+)$/
/** Newest rows of a workspace that are looked through; what is older is not known here. */
const MAX_ROWS = 5_000

export type SecretHistory = Map<string, { who: string; at: string; isGone: boolean }>

/** What was last done to each secret from this console. Only what is known to have been done counts. */
export async function secretHistory({ workspace, deployment }: EditPlace): Promise<SecretHistory> {
  const store = await db()
  const rows = await store
    .select({
      seq: audit.seq,
      at: audit.at,
      intent: audit.intent,
      outcome: audit.outcome,
      actor: audit.actor,
      actorEmail: audit.actorEmail,
      params: audit.params,
      fields: audit.fields,
    })
    .from(audit)
    .where(
      and(
        eq(audit.workspace, workspace),
        eq(audit.operation, 'control-plane.updateDeployment'),
        inArray(audit.kind, ['intent', 'outcome']),
      ),
    )
    .orderBy(desc(audit.seq))
    .limit(MAX_ROWS)
  const done = new Set(rows.filter((row) => row.outcome?.startsWith('200 ')).map((row) => row.intent))
  const history: SecretHistory = new Map()
  for (const row of rows) {
    if (row.intent !== null || !done.has(row.seq) || row.params.deployment_id !== deployment) continue
    for (const field of row.fields) {
      const [, verb, name] = FIELD.exec(field) ?? []
      if (name === undefined || history.has(name)) continue
      const isSetToo = row.fields.includes(`secrets.set.${name}`) || row.fields.includes(`secrets.renamed-to.${name}`)
      const isGone = !isSetToo && (verb === 'remove' || verb === 'renamed-from')
      history.set(name, { who: row.actorEmail || row.actor, at: row.at.toISOString(), isGone })
    }
  }
  return history
}

import 'server-only'
import { and, desc, eq, lt } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Role } from '@/lib/contracts/wire/api'
import type { Actor } from '../access/actor'
import type { Anchor } from '../audit/anchor'
import { authorizeRead } from '../audit/own-records'
import { type AuditReport, checkTrail } from '../audit/verify'
import { db } from '../process/db'
import { audit } from '../process/schema'

/** A row for the audit page. */
export type AuditView = {
  seq: number
  at: string
  kind: 'intent' | 'outcome' | 'denial'
  intent: number | null
  actor: string
  role: Role | null
  workspace: string
  operation: string
  params: Record<string, string>
  fields: string[]
  upstreamStatus: number | null
  outcome: string | null
  requestId: string
}

/** A page of a workspace's audit rows, newest first. Pass `next` as `before` for the following page. */
export async function listAudit(
  actor: Actor,
  { workspace, before, limit = 50 }: { workspace: string; before?: number; limit?: number },
): Promise<{ entries: AuditView[]; next: number | null }> {
  await authorizeRead(consoleRecords.readAudit, actor, workspace)
  const size = Math.min(Math.max(limit, 1), 500)
  const store = await db()
  const rows = await store
    .select()
    .from(audit)
    .where(and(eq(audit.workspace, workspace), before === undefined ? undefined : lt(audit.seq, before)))
    .orderBy(desc(audit.seq))
    .limit(size + 1)
  const entries = rows.slice(0, size).map(({ mac: _mac, actor, actorEmail, at, ...row }) => ({
    ...row,
    actor: actorEmail || actor,
    at: at.toISOString(),
  }))
  return { entries, next: rows.length > size ? (entries.at(-1)?.seq ?? null) : null }
}

/** Checks the audit trail of all workspaces for an administrator of `workspace`. `more` are anchors from the log stream. */
export async function verifyAudit(actor: Actor, workspace: string, more: Anchor[] = []): Promise<AuditReport> {
  await authorizeRead(consoleRecords.readAudit, actor, workspace)
  return await checkTrail(more)
}

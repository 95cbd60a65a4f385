import 'server-only'
import { and, desc, eq, gte, ilike, inArray, isNull, like, lt, not, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { operationsOf } from '@/lib/contracts/audit/actions'
import type { AuditAbout, AuditRow, AuditRowsPage } from '@/lib/contracts/audit/audit-row'
import type { AuditOutcome } from '@/lib/contracts/audit/sentence'
import { consoleRecords } from '@/lib/contracts/console-records'
import { isUuid } from '@/lib/json/guards'
import { type Actor, EVERYWHERE, rightsOf } from '../access/actor'
import type { Anchor } from '../audit/anchor'
import { authorizeRead, authorizeWithin, checkRights } from '../audit/own-records'
import { type AuditReport, checkTrail } from '../audit/verify'
import { db } from '../process/db'
import { accounts, audit } from '../process/schema'

/** Which actions to list. Times are epoch milliseconds. */
export type AuditFilter = {
  /** Only what concerns the workspace, or only accounts and the console; both without it, as far as they may be read. */
  about?: AuditAbout
  /** Part of an e-mail address. */
  by?: string
  deployment?: string
  /** The group "secrets" is the part of `control-plane.updateDeployment` that names secrets. */
  group?: Parameters<typeof operationsOf>[0]
  outcome?: AuditOutcome
  since?: number
  until?: number
  /** Only entries with a lower number. */
  before?: number
}

const result = alias(audit, 'result')
const UPDATE = 'control-plane.updateDeployment'
const MAX_ROWS = 500
/** A pattern that matches `text` itself. */
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/**
 * Actions and denied attempts in a workspace, newest first, for its administrators; for those of the console also what
 * concerns no workspace. Pass `next` as `before`.
 */
export async function listAudit(
  actor: Actor,
  { workspace, about, limit = 50, ...filter }: AuditFilter & { workspace: string; limit?: number },
): Promise<Omit<AuditRowsPage, 'names'> & { accounts: Record<string, string> }> {
  const only = await authorizeWithin(consoleRecords.readAudit, actor, workspace)
  const ofConsole = await rightsOf(actor, EVERYWHERE)
  if (about === 'console') checkRights(consoleRecords.exportAudit, ofConsole)
  const hasConsole = ofConsole.role === 'admin'
  const workspaces = [
    ...(about === 'console' ? [] : [workspace]),
    ...(hasConsole && about !== 'workspace' ? [EVERYWHERE] : []),
  ]
  const size = Math.min(Math.max(limit, 1), MAX_ROWS)
  const store = await db()
  const found = await store
    .select({ entry: audit, result })
    .from(audit)
    .leftJoin(result, and(eq(result.intent, audit.seq), eq(result.kind, 'outcome')))
    .where(
      and(
        inArray(audit.workspace, workspaces),
        inArray(audit.kind, ['intent', 'denial']),
        ...conditionsOf(filter),
        scopeOf(only),
      ),
    )
    .orderBy(desc(audit.seq))
    .limit(size + 1)
  const page = found.slice(0, size).map(rowOf)
  // The condition compares texts, so it may let an entry through that names one of the deployments elsewhere.
  const rows = page.filter(({ params }) => !only || only.includes(params.deployment ?? params.deployment_id ?? ''))
  return {
    rows,
    next: found.length > size ? (page.at(-1)?.seq ?? null) : null,
    hasConsole,
    accounts: await emailsOf(rows.flatMap(({ params }) => params.account ?? [])),
  }
}

/** `params` and `fields` are compared as text: PostgreSQL cannot read an escaped NUL in JSON, and callers can send one. */
const mentions = (column: typeof audit.params | typeof audit.fields, text: string) =>
  like(sql`${column}::text`, `%${literal(text)}%`)

/** What may be read by someone who is limited to some deployments. */
const scopeOf = (only: readonly string[] | null): SQL | undefined =>
  only ? or(...only.map((id) => mentions(audit.params, JSON.stringify(id)))) : undefined

function conditionsOf({ by, deployment, group, outcome, since, until, before }: AuditFilter): (SQL | undefined)[] {
  const said = (kind: AuditOutcome) => {
    if (kind === 'denied') return eq(audit.kind, 'denial')
    if (kind === 'unknown') return and(eq(audit.kind, 'intent'), isNull(result.seq))
    const isDone = like(result.outcome, '2%')
    return kind === 'done' ? isDone : not(isDone)
  }
  const names = mentions(audit.fields, '"secrets')
  return [
    by ? or(ilike(audit.actorEmail, `%${literal(by)}%`), ilike(audit.actor, `%${literal(by)}%`)) : undefined,
    deployment ? mentions(audit.params, JSON.stringify(deployment)) : undefined,
    group === 'secrets' ? and(eq(audit.operation, UPDATE), names) : undefined,
    group && group !== 'secrets' ? inArray(audit.operation, operationsOf(group)) : undefined,
    outcome ? said(outcome) : undefined,
    since === undefined ? undefined : gte(audit.at, new Date(since)),
    until === undefined ? undefined : lt(audit.at, new Date(until)),
    before === undefined ? undefined : lt(audit.seq, before),
  ]
}

type Found = { entry: typeof audit.$inferSelect; result: typeof audit.$inferSelect | null }

const rowOf = ({ entry, result }: Found): AuditRow => ({
  ...{
    seq: entry.seq,
    workspace: entry.workspace,
    at: entry.at.toISOString(),
    endedAt: result?.at.toISOString() ?? null,
  },
  ...{ actor: entry.actorEmail || entry.actor, role: entry.role },
  ...{ operation: entry.operation, params: entry.params, fields: entry.fields },
  outcome: outcomeOf(entry, result),
  said: (result ?? entry).outcome,
  upstreamStatus: result?.upstreamStatus ?? null,
  requestId: entry.requestId,
})

function outcomeOf(entry: Found['entry'], result: Found['result']): AuditOutcome {
  if (entry.kind === 'denial') return 'denied'
  if (!result) return 'unknown'
  return result.outcome?.startsWith('2') ? 'done' : 'failed'
}

async function emailsOf(ids: readonly string[]): Promise<Record<string, string>> {
  const asked = [...new Set(ids)].filter(isUuid)
  if (asked.length === 0) return {}
  const store = await db()
  const found = await store
    .select({ id: accounts.id, email: accounts.email })
    .from(accounts)
    .where(inArray(accounts.id, asked))
  return Object.fromEntries(found.map(({ id, email }) => [id, email]))
}

/** The result of a verification and when it was made, in epoch milliseconds. */
type Verified = Pick<AuditReport, 'isWhole' | 'rows' | 'removed' | 'problems'> & { at: number }
// On globalThis: pages and actions each have their own copy of this module.
const shared = globalThis as { pilothouseVerified?: Verified }

/** Checks the audit trail of all workspaces for an administrator of `workspace`. `more` are anchors from the log stream. */
export async function verifyAudit(actor: Actor, workspace: string, more: Anchor[] = []): Promise<Verified> {
  await authorizeRead(consoleRecords.readAudit, actor, workspace)
  const { isWhole, rows, removed, problems } = await checkTrail(more)
  shared.pilothouseVerified = { isWhole, rows, removed, problems, at: Date.now() }
  return shared.pilothouseVerified
}

/** The last verification by this process, if there was one. */
export async function lastAuditReport(actor: Actor, workspace: string): Promise<Verified | undefined> {
  await authorizeRead(consoleRecords.readAudit, actor, workspace)
  return shared.pilothouseVerified
}

import 'server-only'
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { type AuditLimits, type AuditUsage, dueAt, limitsFor } from '@/lib/contracts/audit/limits'
import { EVERYWHERE } from '../access/actor'
import { db, type StoreOrTransaction } from '../process/db'
import { whileLeased } from '../process/lease'
import { log } from '../process/log'
import { audit, auditHead, auditRetention } from '../process/schema'
import { shutdownSignal } from '../process/shutdown'
import { type AuditRetention, isSameMac, retentionSeal } from './chain'
import { firstYounger, lineOf, PORTION, pagesOf, removeRows } from './prune'
import { PRUNE } from './verify'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Beyond its size, this part of it is left, so that a pruning is not due again at the next entry. */
const LEFT = 0.9

const UNLIMITED: AuditRetention = { days: null, maxBytes: null, own: {}, exportedThrough: 0, exportedAt: null }

/** A setting that was changed without the sealing key counts as none: everything is kept. */
export async function readAuditRetention(store?: StoreOrTransaction): Promise<AuditRetention> {
  const from = store ?? (await db())
  const [row] = await from.select().from(auditRetention)
  const [head] = await from.select({ chain: auditHead.chain }).from(auditHead)
  if (!row) return UNLIMITED
  const { id, seal, ...setting } = row
  if (head && isSameMac(seal, retentionSeal(head.chain, setting))) return setting
  log.error('audit.retention_not_sealed')
  return UNLIMITED
}

/** Checks no role and audits nothing: `records/audit-retention.ts` does. */
export async function changeAuditRetention(change: (before: AuditRetention) => Partial<AuditRetention>): Promise<void> {
  await (await db()).transaction(async (transaction) => {
    // Its lock orders two changes. An audited change has an entry before it, so there is a head.
    const [head] = await transaction.select({ chain: auditHead.chain }).from(auditHead).for('update')
    if (!head) throw new Error('The audit trail has no head.')
    const before = await readAuditRetention(transaction)
    const next = { ...before, ...change(before) }
    const row = { ...next, seal: retentionSeal(head.chain, next) }
    await transaction.insert(auditRetention).values(row).onConflictDoUpdate({ target: auditRetention.id, set: row })
  })
}

/** The limits of the workspace itself. Without any, those of the console apply. */
export const withLimits = (
  { own }: AuditRetention,
  workspace: string,
  limits: AuditLimits,
): Partial<AuditRetention> => {
  const { [workspace]: _, ...others } = own
  const isSet = limits.days !== null || limits.maxBytes !== null
  return { own: isSet ? { ...others, [workspace]: limits } : others }
}

/** The lines of an export: all rows that no administrator has confirmed to hold. */
export async function* unexportedLines(): AsyncGenerator<string, void> {
  const { exportedThrough } = await readAuditRetention()
  for await (const page of pagesOf(exportedThrough)) yield page.map(lineOf).join('')
}

/** The last row of the export with this SHA-256, in hexadecimal digits; undefined if no export has it. */
export async function lastExported(sha256: string): Promise<number | undefined> {
  const { exportedThrough } = await readAuditRetention()
  const hash = createHash('sha256')
  for await (const page of pagesOf(exportedThrough))
    for (const row of page) {
      hash.update(lineOf(row))
      if (hash.copy().digest('hex') === sha256) return row.seq
    }
  return undefined
}

/** What the entries about each workspace, and about none (`*`), take. Those of prunings do not count: they stay. */
export async function readAuditUsage(): Promise<Map<string, AuditUsage>> {
  type Row = Omit<AuditUsage, 'oldest'> & { workspace: string; seq: number; at: number }
  const { rows } = await (await db()).execute<Row>(sql`
    select workspace, count(*)::float8 as rows, sum(pg_column_size(audit.*))::float8 as bytes,
      coalesce(sum(pg_column_size(audit.*)) filter (where at > now() - interval '7 days'), 0)::float8 as "recentBytes",
      least(7, extract(epoch from now() - min(at)) / 86400)::float8 as "recentDays",
      min(seq)::float8 as seq, floor(extract(epoch from min(at)) * 1000)::float8 as at
    from ${audit} where operation <> ${PRUNE} group by workspace`)
  return new Map(rows.map(({ workspace, seq, at, ...used }) => [workspace, { ...used, oldest: { seq, at } }]))
}

/** All rows, with their indexes and what stands for removed ones. */
export async function readTrailSize(): Promise<{ rows: number; bytes: number }> {
  const { rows } = await (await db()).execute<{ rows: number; bytes: number }>(sql`
    select count(*)::float8 as rows,
      (pg_total_relation_size('console.audit') + pg_total_relation_size('console.audit_gaps'))::float8 as bytes
    from ${audit}`)
  if (!rows[0]) throw new Error('An aggregate returned no row.')
  return rows[0]
}

/**
 * Removes rows beyond the limits of their workspaces that an administrator holds in a file, about once a day: each pruning
 * verifies the whole trail. One instance at a time does. Returns how many.
 */
export async function pruneExported(now = Date.now()): Promise<number> {
  if (!(await isDue(now))) return 0
  const removed = await whileLeased('prune', async () => {
    if (!(await isDue(now))) return 0 // another instance has just removed it
    const ends = JSON.stringify(await removableEnds(now))
    const which = sql`${audit.seq} <= coalesce((${ends}::jsonb ->> ${audit.workspace})::bigint, 0)`
    const held = { write: async () => {}, done: async () => {} }
    return (await removeRows(which, held, { by: 'console', most: PORTION })).rows // the next hour goes on
  })
  return removed ?? 0
}

async function isDue(now: number): Promise<boolean> {
  const setting = await readAuditRetention()
  return [...(await readAuditUsage())].some(([workspace, used]) => {
    const due = dueAt(used, limitsFor(workspace, setting), setting.exportedThrough)
    return due !== null && due <= now
  })
}

/** The last row of each workspace that its limits and the exports let go. */
async function removableEnds(now: number): Promise<Record<string, number>> {
  const setting = await readAuditRetention()
  const usage = await readAuditUsage()
  const ends: Record<string, number> = {}
  const kept = new Map<number, number>() // from which row on each number of days keeps
  const keptFrom = async (days: number) => {
    const first = kept.get(days) ?? (await firstYounger(new Date(now - days * DAY_MS)))
    kept.set(days, first)
    return first
  }
  for (const workspace of new Set([EVERYWHERE, ...usage.keys()])) {
    const { days, maxBytes } = limitsFor(workspace, setting)
    const bytes = usage.get(workspace)?.bytes ?? 0
    const old = days === null ? 0 : (await keptFrom(days)) - 1
    const beyond = maxBytes !== null && bytes > maxBytes ? await lastBeyond(workspace, maxBytes * LEFT) : 0
    ends[workspace] = Math.min(setting.exportedThrough, Math.max(old, beyond))
  }
  return ends
}

/** The newest row about the workspace that does not fit into the size together with all newer ones. */
async function lastBeyond(workspace: string, bytes: number): Promise<number> {
  const { rows } = await (await db()).execute<{ seq: number }>(sql`
    select coalesce(max(seq), 0)::float8 as seq from (
      select seq, sum(pg_column_size(audit.*)) over (order by seq desc) as held
      from ${audit} where workspace = ${workspace} and operation <> ${PRUNE}) as newest where held > ${bytes}`)
  return rows[0]?.seq ?? 0
}

/** Prunes once an hour what is due. */
export function startAuditRetention(): void {
  const timer = setInterval(
    () => void pruneExported().catch((error: unknown) => log.error('audit.not_pruned', { error })),
    HOUR_MS,
  ).unref()
  shutdownSignal().addEventListener('abort', () => clearInterval(timer))
}

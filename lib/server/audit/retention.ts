import 'server-only'
import { createHash } from 'node:crypto'
import { asc, sql } from 'drizzle-orm'
import { db, LOCKS, type StoreOrTransaction } from '../process/db'
import { whileLocked } from '../process/lock-connection'
import { log } from '../process/log'
import { audit, auditHead, auditRetention } from '../process/schema'
import { shutdownSignal } from '../process/shutdown'
import { isSameMac, retentionSeal } from './chain'
import { lineOf, PORTION, pagesOf, pruneTrail } from './prune'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export type AuditRetention = { days: number | null; exportedThrough: number; exportedAt: Date | null }

/** A setting that was changed without the sealing key counts as none: everything is kept. */
export async function readAuditRetention(store?: StoreOrTransaction): Promise<AuditRetention> {
  const from = store ?? (await db())
  const [row] = await from.select().from(auditRetention)
  const [head] = await from.select({ chain: auditHead.chain }).from(auditHead)
  if (!row) return { days: null, exportedThrough: 0, exportedAt: null }
  const { days, exportedThrough, exportedAt, seal } = row
  if (head && isSameMac(seal, retentionSeal(head.chain, days, exportedThrough, exportedAt)))
    return { days, exportedThrough, exportedAt }
  log.error('audit.retention_not_sealed')
  return { days: null, exportedThrough: 0, exportedAt: null }
}

/** Checks no role and audits nothing: `records/audit-retention.ts` does. */
export async function changeAuditRetention(change: Partial<AuditRetention>): Promise<void> {
  await (await db()).transaction(async (transaction) => {
    // Its lock orders two changes. An audited change has an entry before it, so there is a head.
    const [head] = await transaction.select({ chain: auditHead.chain }).from(auditHead).for('update')
    if (!head) throw new Error('The audit trail has no head.')
    const next = { ...(await readAuditRetention(transaction)), ...change }
    const seal = retentionSeal(head.chain, next.days, next.exportedThrough, next.exportedAt)
    await transaction
      .insert(auditRetention)
      .values({ ...next, seal })
      .onConflictDoUpdate({ target: auditRetention.id, set: { ...next, seal } })
  })
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

/** The oldest row, and when it is removed; null if it stays because of the setting or because nobody holds it. */
export async function oldestRow(): Promise<{ seq: number; at: Date; dueAt: number | null } | undefined> {
  const { days, exportedThrough } = await readAuditRetention()
  const [oldest] = await (await db())
    .select({ seq: audit.seq, at: audit.at })
    .from(audit)
    .orderBy(asc(audit.seq))
    .limit(1)
  const isFree = days !== null && oldest && oldest.seq <= exportedThrough
  return oldest && { ...oldest, dueAt: isFree ? oldest.at.getTime() + (days + 1) * DAY_MS : null }
}

/**
 * Removes rows that are older than the setting and that an administrator holds in a file, about once a day: each pruning
 * verifies the whole trail. One instance at a time does. Returns how many.
 */
export async function pruneExported(now = Date.now()): Promise<number> {
  const dueRow = async () => {
    const oldest = await oldestRow()
    return oldest?.dueAt != null && oldest.dueAt <= now ? oldest : undefined
  }
  if (!(await dueRow())) return 0
  const removed = await whileLocked('pilothouse-prune', LOCKS.prunes, async () => {
    const oldest = await dueRow() // another instance may have just removed it
    const { days, exportedThrough } = await readAuditRetention()
    if (!oldest || days === null) return 0
    const held = { write: async () => {}, done: async () => {} }
    const through = Math.min(exportedThrough, oldest.seq + PORTION - 1) // the next hour goes on
    return (await pruneTrail(new Date(now - days * DAY_MS), held, { by: 'console', through })).rows
  })
  return removed ?? 0
}

/** Prunes once an hour what is due. */
export function startAuditRetention(): void {
  const timer = setInterval(
    () => void pruneExported().catch((error: unknown) => log.error('audit.not_pruned', { error })),
    HOUR_MS,
  ).unref()
  shutdownSignal().addEventListener('abort', () => clearInterval(timer))
}

export type AuditUsage = { rows: number; bytes: number; recentBytes: number; recentDays: number }

/** What the trail of all workspaces takes on disk, and about what the last seven days added. */
export async function readAuditUsage(): Promise<AuditUsage> {
  const { rows } = await (await db()).execute<{ rows: number; bytes: number; recent: number; days: number }>(sql`
    select count(*)::float8 as rows, pg_total_relation_size('console.audit')::float8 as bytes,
      count(*) filter (where at > now() - interval '7 days')::float8 as recent,
      least(7, extract(epoch from now() - coalesce(min(at), now())) / 86400)::float8 as days
    from console.audit`)
  const [found] = rows
  if (!found) throw new Error('An aggregate returned no row.')
  const { bytes, recent, days: recentDays } = found
  return { rows: found.rows, bytes, recentBytes: found.rows > 0 ? (bytes * recent) / found.rows : 0, recentDays }
}

import 'server-only'
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Store, StoreOrTransaction } from '../process/db'
import { audit, type auditGaps, auditHead, type auditRetention } from '../process/schema'
import { derivedKey } from '../process/sealing'

// Each row's HMAC covers the MAC of the row before it, so that nobody can change, insert, remove or reorder rows unnoticed
// without the sealing key. The head's seal reveals removed newest rows; anchors (anchor.ts) reveal a head that was reset too.

export type AuditRow = typeof audit.$inferSelect
export type AuditDraft = Omit<AuditRow, 'seq' | 'mac' | 'at'>
/** Removed rows, which verification passes over; `mac` is that of the last one. */
export type Gap = Omit<typeof auditGaps.$inferSelect, 'seal'>
export type AuditRetention = Omit<typeof auditRetention.$inferSelect, 'id' | 'seal'>
export type AuditHead = Pick<typeof auditHead.$inferSelect, 'chain' | 'seq' | 'mac'>

const mac = (...parts: unknown[]): string =>
  createHmac('sha256', derivedKey('audit')).update(JSON.stringify(parts)).digest('base64url')

const sorted = <T>(named: Record<string, T>) => Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1))

/** The MAC of a row that follows a row with the MAC `before`. */
export function macOf(row: Omit<AuditRow, 'mac'>, before: string): string {
  const {
    seq,
    at,
    kind,
    intent,
    actor,
    actorEmail,
    role,
    workspace,
    operation,
    params,
    fields,
    upstreamStatus,
    outcome,
    requestId,
  } = row
  const rest = [
    actor,
    actorEmail,
    role,
    workspace,
    operation,
    sorted(params),
    fields,
    upstreamStatus,
    outcome,
    requestId,
  ]
  return mac('row', before, seq, at.toISOString(), kind, intent, ...rest)
}

/** The MAC before the first row. It differs per chain, so that rows cannot be moved between installations. */
export const genesisOf = (chain: string): string => mac('genesis', chain)

const sealOf = ({ chain, seq, mac: last }: AuditHead): string => mac('head', chain, seq, last)

/** Of the setting for how much of the trail `chain` is kept, so that nobody without the sealing key can keep less. */
export function retentionSeal(chain: string, setting: AuditRetention): string {
  const { days, exportedThrough, exportedAt, maxBytes, own } = setting
  const limits = sorted(own).map(([workspace, one]) => [workspace, one.days, one.maxBytes])
  // The release before these limits has the same seal where there are none.
  const since = maxBytes === null && limits.length === 0 ? [] : [maxBytes, limits]
  return mac('retention', chain, days, exportedThrough, exportedAt?.toISOString() ?? null, ...since)
}

/** Of a gap, so that nobody without the sealing key can remove rows and put one in their place. */
export const gapSeal = (chain: string, { first, through, mac: last }: Gap): string =>
  mac('gap', chain, first, through, last)

/** Compares two MACs in constant time. */
export function isSameMac(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
export const isSealed = (head: AuditHead & { seal: string }): boolean => isSameMac(head.seal, sealOf(head))

/** The chain's head, made where there is none yet. */
async function headOf(store: StoreOrTransaction): Promise<typeof auditHead.$inferSelect | undefined> {
  const [found] = await store.select().from(auditHead)
  if (found) return found
  const chain = randomUUID()
  const start = { chain, seq: 0, mac: genesisOf(chain) }
  await store
    .insert(auditHead)
    .values({ ...start, seal: sealOf(start) })
    .onConflictDoNothing()
  return (await store.select().from(auditHead))[0]
}

/** Whether the chain's end was sealed with this process's key. */
export async function canAppend(store: Store): Promise<boolean> {
  const head = await headOf(store)
  return head !== undefined && isSealed(head)
}

/** Appends rows in one transaction and returns the new head. The head's row lock orders the writers of all processes. */
export async function appendRows(store: Store, drafts: AuditDraft[]): Promise<AuditHead> {
  return await store.transaction(async (transaction) => {
    await headOf(transaction)
    const [head] = await transaction.select().from(auditHead).for('update')
    if (!head || !isSealed(head))
      throw new Error('The end of the audit trail was tampered with, or the sealing key is different.')
    const at = new Date()
    let before: AuditHead = { chain: head.chain, seq: head.seq, mac: head.mac }
    const rows = drafts.map((draft) => {
      const row = { ...draft, at, seq: before.seq + 1 }
      before = { chain: head.chain, seq: row.seq, mac: macOf(row, before.mac) }
      return { ...row, mac: before.mac }
    })
    await transaction.insert(audit).values(rows)
    await transaction
      .update(auditHead)
      .set({ seq: before.seq, mac: before.mac, seal: sealOf(before) })
      .where(sql`id = 1`)
    return before
  })
}

import 'server-only'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { db, type Store } from '../process/db'
import { audit, auditGaps, auditHead } from '../process/schema'
import { type Anchor, keptAnchors } from './anchor'
import { type AuditRow, type Gap, gapSeal, genesisOf, isSameMac, isSealed, macOf } from './chain'
import { type AuditExport, exportedRows, mergedRows } from './exports'

export type AuditReport = {
  isWhole: boolean
  rows: number
  /** How many rows were exported and removed, and are in none of the given files. */
  removed: number
  head: { chain: string; seq: number; mac: string } | null
  /** The problems in the order found, at most 100. */
  problems: string[]
}

/** The operation of the row that stands for removed ones. */
export const PRUNE = 'pruneAudit'
const PAGE = 1000
const MAX_PROBLEMS = 100

/** All rows from the first, read in pages. Call it within one snapshot. */
async function* rowsOf(store: Pick<Store, 'select'>): AsyncGenerator<AuditRow> {
  for (let after = -1; ; ) {
    const page = await store.select().from(audit).where(gt(audit.seq, after)).orderBy(asc(audit.seq)).limit(PAGE)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.seq
  }
}

/**
 * Where rows may be missing: the start of the trail, from the rows that prunings left, and sealed gaps. The rows of prunings
 * are part of the chain, so they can be believed if the rest of the trail is whole. By the first row, and in the order of
 * the last.
 */
async function gapsOf(store: Pick<Store, 'select'>, chain: string, note: (problem: string) => void) {
  const pruned = await store
    .select({ params: audit.params })
    .from(audit)
    .where(and(eq(audit.kind, 'intent'), eq(audit.operation, PRUNE)))
    .orderBy(asc(audit.seq))
  const starts = pruned.flatMap(({ params: { through, mac } }) =>
    through && mac ? [{ first: 1, through: Number(through), mac }] : [],
  )
  const gaps = new Map<number, Gap[]>([[1, starts]])
  for (const { seal, ...gap } of await store.select().from(auditGaps)) {
    if (isSameMac(seal, gapSeal(chain, gap))) gaps.set(gap.first, [...(gaps.get(gap.first) ?? []), gap])
    else note(`The gap of rows ${gap.first} to ${gap.through} was changed or made without the key.`)
  }
  return gaps
}

/**
 * Checks the audit trail of all workspaces: every row's MAC and number, the sealed head, and the anchors in the data folder
 * and in `more` (from the log stream). Exports may overlap, and every copy of a row is compared. It checks no role, so only
 * the operator's command and `records/audit.ts` call it.
 */
export async function checkTrail(more: Anchor[] = [], exports: AuditExport[] = []): Promise<AuditReport> {
  const problems: string[] = []
  const note = (problem: string) => void (problems.length < MAX_PROBLEMS && problems.push(problem))
  let anchors = more
  try {
    anchors = [...more, ...keptAnchors()]
  } catch (error) {
    note(`The anchors cannot be read. ${(error as Error).message}`)
  }

  const store = await db()
  return await store.transaction(
    async (snapshot) => {
      // It waits while large files are read.
      await snapshot.execute(sql`set local idle_in_transaction_session_timeout = 0`)
      const [head] = await snapshot.select().from(auditHead)
      if (head && !isSealed(head))
        note('The sealed end does not match its seal: it was changed, or the sealing key is different.')
      const open = new Map(anchors.filter(({ chain }) => chain === head?.chain).map((one) => [one.seq, one]))
      for (const { chain, seq } of anchors.filter((one) => one.chain !== head?.chain))
        note(
          `An anchor (row ${seq}) belongs to another trail (${chain}): this trail was started again, or the data folder served another database.`,
        )

      const checkAnchor = (seq: number, mac: string) => {
        const fixed = open.get(seq)
        if (fixed && !isSameMac(fixed.mac, mac)) note(`Row ${seq} is not the one that was anchored.`)
        open.delete(seq)
      }

      let [rows, expected, before, removed] = [0, 1, genesisOf(head?.chain ?? ''), 0]
      const gaps = await gapsOf(snapshot, head?.chain ?? '', note)
      const files = exports.map((file) => ({ from: file.name, rows: exportedRows(file) }))
      for await (const copies of mergedRows([...files, { from: 'the database', rows: rowsOf(snapshot) }])) {
        const [{ seq }] = copies
        while (expected < seq) {
          const gap = gaps.get(expected)?.findLast(({ through }) => through < seq)
          if (!gap) break
          checkAnchor(gap.through, gap.mac) // of the rows before it in the gap nothing is known
          for (const at of open.keys()) if (at >= gap.first && at < gap.through) open.delete(at)
          removed += gap.through - expected + 1
          before = gap.mac
          expected = gap.through + 1
        }
        rows += 1
        const isRight = (copy: AuditRow) => isSameMac(copy.mac, macOf(copy, before))
        const right = copies.find(isRight)
        const row = right ?? copies[0]
        for (const copy of right ? copies : [])
          if (copy !== right && !isRight(copy))
            note(`Row ${seq} was changed in ${copy.from}; another copy of it is right.`)
        if (row.seq > expected)
          note(
            row.seq - expected === 1
              ? `Row ${expected} is missing.`
              : `Rows ${expected} to ${row.seq - 1} are missing.`,
          )
        if (!right)
          note(
            row.seq === expected
              ? `Row ${row.seq} was changed, inserted or moved.`
              : `Row ${row.seq} does not follow the row before it.`,
          )
        checkAnchor(row.seq, row.mac)
        before = row.mac
        expected = row.seq + 1
      }
      const last = expected - 1
      if (!head && rows > 0) note('The sealed end is missing.')
      if (head && head.seq !== last)
        note(
          head.seq > last
            ? `The newest rows, ${last + 1} to ${head.seq}, are missing.`
            : `Rows after ${head.seq} were added without the key.`,
        )
      else if (head && rows > 0 && !isSameMac(head.mac, before)) note('The sealed end is not that of the last row.')
      for (const { seq } of open.values()) note(`Row ${seq} was anchored and is missing.`)
      return {
        isWhole: problems.length === 0,
        rows,
        removed,
        head: head ? { chain: head.chain, seq: head.seq, mac: head.mac } : null,
        problems,
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

import 'server-only'
import { asc, gt } from 'drizzle-orm'
import { db, type Store } from '../process/db'
import { audit, auditHead } from '../process/schema'
import { type Anchor, keptAnchors } from './anchor'
import { type AuditRow, genesisOf, isSameMac, isSealed, macOf } from './chain'

export type AuditReport = {
  isWhole: boolean
  rows: number
  head: { chain: string; seq: number; mac: string } | null
  /** The problems in the order found, at most 100. */
  problems: string[]
}

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
 * Checks the audit trail of all workspaces: every row's MAC and number, the sealed head, and the anchors in the data folder
 * and in `more` (from the log stream). It checks no role, so only the operator's command and `records/audit.ts` call it.
 */
export async function checkTrail(more: Anchor[] = []): Promise<AuditReport> {
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
      const [head] = await snapshot.select().from(auditHead)
      if (head && !isSealed(head))
        note('The sealed end does not match its seal: it was changed, or the sealing key is different.')
      const open = new Map(anchors.filter(({ chain }) => chain === head?.chain).map((one) => [one.seq, one]))
      for (const { chain, seq } of anchors.filter((one) => one.chain !== head?.chain))
        note(
          `An anchor (row ${seq}) belongs to another trail (${chain}): this trail was started again, or the data folder served another database.`,
        )

      let [rows, expected, before] = [0, 1, genesisOf(head?.chain ?? '')]
      for await (const row of rowsOf(snapshot)) {
        rows += 1
        if (row.seq > expected)
          note(
            row.seq - expected === 1
              ? `Row ${expected} is missing.`
              : `Rows ${expected} to ${row.seq - 1} are missing.`,
          )
        if (!isSameMac(row.mac, macOf(row, before)))
          note(
            row.seq === expected
              ? `Row ${row.seq} was changed, inserted or moved.`
              : `Row ${row.seq} does not follow the row before it.`,
          )
        const fixed = open.get(row.seq)
        if (fixed) {
          open.delete(row.seq)
          if (!isSameMac(fixed.mac, row.mac)) note(`Row ${row.seq} is not the one that was anchored.`)
        }
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
        head: head ? { chain: head.chain, seq: head.seq, mac: head.mac } : null,
        problems,
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

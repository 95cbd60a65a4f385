import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { and, asc, gt, lt, lte, ne, not, or, type SQL, sql } from 'drizzle-orm'
import { db } from '../process/db'
import { audit, auditGaps } from '../process/schema'
import { type AuditRow, type Gap, gapSeal } from './chain'
import { recordIntent, recordOutcome } from './trail'
import { checkTrail, PRUNE } from './verify'

const PAGE = 1000
/** Rows removed by one statement, so that none holds locks for long. */
export const PORTION = 50_000

export type Pruned = { rows: number; through: number }
type Sink = { write(line: string): Promise<void>; done(): Promise<void> }
/** What one statement removes: all rows from the first to those of `start`, and those of the gaps. */
type Portion = { rows: number; sha256: string; start: Gap | undefined; gaps: Gap[] }

/** A row in a file of exported ones. */
export const lineOf = (row: AuditRow): string => `${JSON.stringify(row)}\n`

/** The rows after number `after` that meet the condition, in pages. */
export async function* pagesOf(after: number, which?: SQL): AsyncGenerator<AuditRow[], void> {
  const store = await db()
  for (let last = after; ; ) {
    const page = await store
      .select()
      .from(audit)
      .where(and(gt(audit.seq, last), which))
      .orderBy(asc(audit.seq))
      .limit(PAGE)
    yield page
    const end = page.at(-1)
    if (!end || page.length < PAGE) return
    last = end.seq
  }
}

/** The number of the first row that meets the condition; later than any if none does. */
async function firstRow(which: SQL): Promise<number> {
  const [first] = await (await db())
    .select({ seq: audit.seq })
    .from(audit)
    .where(which)
    .orderBy(asc(audit.seq))
    .limit(1)
  return first?.seq ?? Number.MAX_SAFE_INTEGER
}

/** Below this number, all rows are older. Clocks of several instances differ: rows after a younger one stay. */
export const firstYounger = (before: Date): Promise<number> => firstRow(sql`${audit.at} >= ${before.toISOString()}`)

/** Removes the rows of all workspaces before `before`. It checks no role: the operator's command calls it. */
export const pruneTrail = async (before: Date, sink: Sink, options: { portion?: number } = {}): Promise<Pruned> =>
  await removeRows(lt(audit.seq, await firstYounger(before)), sink, { by: 'operator', ...options })

/**
 * Removes the rows that meet the condition, `most` of them, after `write` got each as a line of JSON, and `done` has stored
 * them for good. Before each portion, a row joins the trail that says so. If all rows from the first are removed, it has the
 * number and MAC of the last one; other removed rows leave gaps, so that the rest can be verified, also if this is
 * interrupted. Throws an Error if the trail is not whole, because the rest could not be verified.
 */
export async function removeRows(
  which: SQL,
  { write, done }: Sink,
  { by, most = Number.POSITIVE_INFINITY, portion = PORTION }: { by: string; most?: number; portion?: number },
): Promise<Pruned> {
  const { isWhole, head, problems } = await checkTrail()
  if (!isWhole) throw new Error(`The trail is not whole, so nothing was removed:\n  ${problems.join('\n  ')}`)
  if (!head) return { rows: 0, through: 0 }
  const firstKept = await firstRow(not(which))
  // A row of an earlier pruning stays as long as a row before it: the trail's start can depend on it.
  const removable = and(which, or(lt(audit.seq, firstKept), ne(audit.operation, PRUNE)))
  const hash = createHash('sha256')
  const portions: Portion[] = []
  let rows = 0
  let through = 0
  let open: Pick<Portion, 'start' | 'gaps'> = { start: undefined, gaps: [] }
  const close = () => {
    portions.push({ ...open, rows: rows - portions.length * portion, sha256: hash.copy().digest('hex') })
    open = { start: undefined, gaps: [] }
  }
  for await (const row of limited(pagesOf(0, removable), most)) {
    const line = lineOf(row)
    hash.update(line)
    await write(line)
    if (row.seq < firstKept) open.start = { first: 1, through: row.seq, mac: row.mac }
    else addToGaps(open.gaps, row)
    rows += 1
    through = row.seq
    if (rows % portion === 0) close()
  }
  if (rows === 0) return { rows: 0, through: 0 }
  if (rows % portion !== 0) close()
  await done()
  for (const one of portions) await removePortion(head.chain, one, by)
  return { rows, through }
}

async function* limited<T>(pages: AsyncIterable<T[]>, most: number): AsyncGenerator<T, void> {
  let left = most
  for await (const page of pages)
    for (const one of page) {
      if (left <= 0) return
      left -= 1
      yield one
    }
}

/** Adds a row that is removed after those of the gaps. */
export function addToGaps(gaps: Gap[], { seq, mac }: Pick<AuditRow, 'seq' | 'mac'>): void {
  const last = gaps.at(-1)
  if (last?.through === seq - 1) Object.assign(last, { through: seq, mac })
  else gaps.push({ first: seq, through: seq, mac })
}

async function removePortion(chain: string, { rows, sha256, start, gaps }: Portion, by: string): Promise<void> {
  const intent = await recordIntent({
    actor: { id: `system:${by}`, email: '', kind: 'system' }, // without `access`, which the command has no use for
    role: null,
    workspace: '*',
    operation: PRUNE,
    params: { rows: String(rows), ...(start && { through: String(start.through), mac: start.mac }), sha256 },
    fields: [],
    requestId: randomUUID(),
  })
  await (await db()).transaction(async (transaction) => {
    const sealed = gaps.map((gap) => ({ ...gap, seal: gapSeal(chain, gap) }))
    await transaction.execute(sql`
      insert into ${auditGaps} select * from json_populate_recordset(null::${auditGaps}, ${JSON.stringify(sealed)})`)
    await transaction.execute(sql`
      delete from ${audit} using json_to_recordset(${JSON.stringify([...(start ? [start] : []), ...gaps])})
        as gap(first bigint, through bigint) where seq between gap.first and gap.through`)
    if (start) await transaction.delete(auditGaps).where(lte(auditGaps.through, start.through))
  })
  await recordOutcome({ intent, status: 200, outcome: 'done' })
}

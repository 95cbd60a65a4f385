import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { and, asc, gt, lt, lte, sql } from 'drizzle-orm'
import { db } from '../process/db'
import { audit } from '../process/schema'
import type { AuditRow } from './chain'
import { recordIntent, recordOutcome } from './trail'
import { checkTrail, PRUNE } from './verify'

const PAGE = 1000
/** Rows removed by one statement, so that none holds locks for long. */
export const PORTION = 50_000

export type Pruned = { rows: number; through: number }
type Sink = { write(line: string): Promise<void>; done(): Promise<void> }

/** A row in a file of exported ones. */
export const lineOf = (row: AuditRow): string => `${JSON.stringify(row)}\n`

/** The rows after number `after` and before number `limit`, in pages. */
export async function* pagesOf(after: number, limit = Number.MAX_SAFE_INTEGER): AsyncGenerator<AuditRow[], void> {
  const store = await db()
  for (let last = after; ; ) {
    const page = await store
      .select()
      .from(audit)
      .where(and(gt(audit.seq, last), lt(audit.seq, limit)))
      .orderBy(asc(audit.seq))
      .limit(PAGE)
    yield page
    if (page.length < PAGE) return
    last = page.at(-1)?.seq ?? limit
  }
}

/**
 * Removes the rows before `before` after `write` got each of them as a line of JSON, and `done` has stored them for good.
 * Before each portion, a row with its last number and MAC joins the trail, so that the rest can be verified, also if this
 * is interrupted. It checks no role: the operator's command calls it, and the console for rows up to number `through` that
 * are exported. Throws an Error if the trail is not whole, because the rest could not be verified.
 */
export async function pruneTrail(
  before: Date,
  { write, done }: Sink,
  { by = 'operator', through = Number.MAX_SAFE_INTEGER - 1, portion = PORTION } = {},
): Promise<Pruned> {
  const report = await checkTrail()
  if (!report.isWhole)
    throw new Error(`The trail is not whole, so nothing was removed:\n  ${report.problems.join('\n  ')}`)
  const store = await db()
  // Clocks of several instances differ: rows after the first younger one stay, even if they are older.
  const [younger] = await store
    .select({ seq: sql<number>`min(${audit.seq})::float8` })
    .from(audit)
    .where(sql`${audit.at} >= ${before.toISOString()}`)
  const limit = Math.min(younger?.seq ?? Number.MAX_SAFE_INTEGER, through + 1)
  const hash = createHash('sha256')
  const portions: { last: AuditRow; sha256: string }[] = []
  let last: AuditRow | undefined
  let rows = 0
  const mark = (row: AuditRow) => portions.push({ last: row, sha256: hash.copy().digest('hex') })
  for await (const page of pagesOf(0, limit))
    for (const row of page) {
      const line = lineOf(row)
      hash.update(line)
      await write(line)
      last = row
      rows += 1
      if (rows % portion === 0) mark(row)
    }
  if (!last) return { rows: 0, through: 0 }
  if (rows % portion !== 0) mark(last)
  await done()
  for (const { last, sha256 } of portions) {
    const intent = await recordIntent({
      actor: { id: `system:${by}`, email: '', kind: 'system' }, // without `access`, which the command has no use for
      role: null,
      workspace: '*',
      operation: PRUNE,
      params: { through: String(last.seq), mac: last.mac, sha256 },
      fields: [],
      requestId: randomUUID(),
    })
    await store.delete(audit).where(lte(audit.seq, last.seq))
    await recordOutcome({ intent, status: 200, outcome: 'done' })
  }
  return { rows, through: last.seq }
}

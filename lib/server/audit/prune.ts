import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { and, asc, gt, lt, lte, sql } from 'drizzle-orm'
import { db } from '../process/db'
import { audit } from '../process/schema'
import { recordIntent, recordOutcome } from './trail'
import { checkTrail, PRUNE } from './verify'

const PAGE = 1000

export type Pruned = { rows: number; through: number }

/**
 * Removes the rows before `before` after `write` got each of them as a line of JSON, and `done` has stored them for good.
 * A row with the last removed number and MAC joins the trail first, so that the rest can be verified. Only the operator's
 * command calls it; it checks no role. Throws an Error if the trail is not whole, because the rest could not be verified.
 */
export async function pruneTrail(
  before: Date,
  { write, done }: { write(line: string): Promise<void>; done(): Promise<void> },
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
  const limit = younger?.seq ?? Number.MAX_SAFE_INTEGER
  const hash = createHash('sha256')
  let last: { seq: number; mac: string } | undefined
  let rows = 0
  for (;;) {
    const page = await store
      .select()
      .from(audit)
      .where(and(gt(audit.seq, last?.seq ?? 0), lt(audit.seq, limit)))
      .orderBy(asc(audit.seq))
      .limit(PAGE)
    for (const row of page) {
      const line = `${JSON.stringify(row)}\n`
      hash.update(line)
      await write(line)
      last = row
      rows += 1
    }
    if (page.length < PAGE) break
  }
  if (!last) return { rows: 0, through: 0 }
  await done()
  const intent = await recordIntent({
    actor: { id: 'system:operator', email: '', kind: 'system' },
    role: null,
    workspace: '*',
    operation: PRUNE,
    params: { through: String(last.seq), mac: last.mac, sha256: hash.digest('hex') },
    fields: [],
    requestId: randomUUID(),
  })
  await store.delete(audit).where(lte(audit.seq, last.seq))
  await recordOutcome({ intent, status: 200, outcome: 'done' })
  return { rows, through: last.seq }
}

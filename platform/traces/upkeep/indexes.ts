import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database'
import type { Store } from '../../kernel/store'

/** Indexes with an entry for each word or value. PostgreSQL keeps such an entry when no row has it any more. */
const INDEXES = ['trace_runs_words', 'trace_runs_metadata'] as const
/** A small index may stay as it is. */
const MIN_BYTES = 64_000_000
/** How much larger than when it was new an index may be, for each run. */
const FACTOR = 2
const SETTING = 'trace_indexes'

type Sizes = Partial<Record<(typeof INDEXES)[number], number>>

/**
 * Builds those indexes again that have become twice as large, for each run that there is, as they were when they were
 * built, or whose size then is unknown. Without it they grow for as long as traces come and go. Reads and writes go on
 * meanwhile. Returns the rebuilt ones.
 */
export async function rebuildIndexes(
  database: Pick<Database, 'upkeep' | 'rebuildIndex'>,
  store: Pick<Store, 'setting' | 'setSetting'>,
  minBytes = MIN_BYTES,
): Promise<string[]> {
  const sizes = await store.setting<Sizes>(SETTING, () => ({}))
  const rebuilt: string[] = []
  for (const index of INDEXES) {
    const { bytes, runs } = await measure(database.upkeep, index)
    const isKnown = sizes[index] !== undefined
    if (bytes < minBytes || (isKnown && bytes <= FACTOR * Number(sizes[index]) * runs)) continue
    await database.rebuildIndex(index)
    const now = await measure(database.upkeep, index)
    sizes[index] = now.bytes / Math.max(1, now.runs)
    await store.setSetting(SETTING, sizes)
    rebuilt.push(index)
  }
  return rebuilt
}

async function measure(db: Database['upkeep'], index: string): Promise<{ bytes: number; runs: number }> {
  const { rows } = await db.execute<{ bytes: number; runs: number }>(sql`
    select pg_relation_size(${`platform.${index}`}::regclass)::float8 as bytes,
      (select count(*) from platform.trace_runs)::float8 as runs`)
  return rows[0] ?? { bytes: 0, runs: 0 }
}

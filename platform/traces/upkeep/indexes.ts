import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database'
import type { Store } from '../../kernel/store'

/** Indexes with an entry for each word or value. PostgreSQL keeps such an entry when no row has it any more. */
const INDEXES = ['trace_runs_words', 'trace_runs_metadata'] as const
/** A small index may stay as it is. */
const MIN_BYTES = 64_000_000
/** How much larger than at its best an index may be, for each run. */
const FACTOR = 1.3
const SETTING = 'trace_indexes'

type Sizes = Partial<Record<(typeof INDEXES)[number], number>>

/**
 * Builds those indexes again that have grown, for each run that there is, by 30 % since they were built or were
 * smaller, or whose size then is unknown. Without it they grow for as long as traces come and go. Reads and writes go on
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
    const { bytes, perRun } = await measure(database.upkeep, index)
    if (bytes < minBytes) continue
    const best = sizes[index] ?? 0
    const hasGrown = perRun > FACTOR * best
    if (!hasGrown && perRun >= best) continue
    if (hasGrown) {
      await database.rebuildIndex(index)
      rebuilt.push(index)
    }
    sizes[index] = (await measure(database.upkeep, index)).perRun
    await store.setSetting(SETTING, sizes)
  }
  return rebuilt
}

async function measure(db: Database['upkeep'], index: string): Promise<{ bytes: number; perRun: number }> {
  const { rows } = await db.execute<{ bytes: number; runs: number }>(sql`
    select pg_relation_size(${`platform.${index}`}::regclass)::float8 as bytes,
      (select count(*) from platform.trace_runs)::float8 as runs`)
  const { bytes, runs } = rows[0] ?? { bytes: 0, runs: 0 }
  return { bytes, perRun: bytes / Math.max(1, runs) }
}

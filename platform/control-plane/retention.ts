import type { PlatformRetention } from '@/lib/contracts/deployments/retention'
import type { Db } from '../kernel/database'
import { HttpError } from '../kernel/http-error'
import { type Largest, type RunRetention, readRunUsage, sweepRuns } from '../kernel/run-retention'
import type { Store } from '../kernel/store'
import type { Handlers } from '../kernel/wire'
import { readTraceUsage, type TraceRetention } from '../traces/upkeep/retention'

const RUNS = 'run_retention'
const KEPT_FOR_GOOD: RunRetention = { maxAgeDays: null, maxBytes: null }
const HOUR_MS = 3_600_000

type Parts = { db: Db; store: Store; traces: TraceRetention; logError(line: string): void }

/** How long traces and rows of ended runs are kept. Changes apply within the hour. */
export function retentionHandlers({
  db,
  store,
  traces,
}: Omit<Parts, 'logError'>): Pick<Handlers, 'getRetention' | 'updateRetention'> {
  const read = async (): Promise<PlatformRetention> => {
    const runs = await store.setting(RUNS, () => KEPT_FOR_GOOD)
    const kept = await traces.current()
    const [ofTraces, ofRuns] = [await readTraceUsage(db), await readRunUsage(db, await store.deploymentNames())]
    return {
      traces: record({ ...kept, ...ofTraces }, traces.isFixed),
      runs: record({ ...runs, ...ofRuns }, false),
    }
  }
  return {
    getRetention: async () => ({ body: await read() }),
    async updateRetention({ body }) {
      if (body.traces && traces.isFixed)
        throw new HttpError(
          409,
          'The limits of traces are set by PILOTHOUSE_TRACE_DAYS and PILOTHOUSE_TRACE_MB. Change them there.',
        )
      if (body.traces) await traces.change({ maxAgeDays: body.traces.max_age_days, maxBytes: body.traces.max_bytes })
      if (body.runs) await store.setSetting(RUNS, { maxAgeDays: body.runs.max_age_days, maxBytes: body.runs.max_bytes })
      return { body: await read() }
    },
  }
}

type Kept = {
  maxAgeDays: number | null
  maxBytes: number | null
  count: number
  bytes: number
  diskBytes: number
  largest: Largest | null
}

const record = ({ maxAgeDays, maxBytes, count, bytes, diskBytes, largest }: Kept, isFixed: boolean) => ({
  max_age_days: maxAgeDays,
  max_bytes: maxBytes,
  count,
  bytes,
  disk_bytes: diskBytes,
  largest: largest && {
    name: largest.name,
    bytes: largest.bytes,
    recent_bytes: largest.recentBytes,
    recent_days: largest.recentDays,
  },
  is_fixed: isFixed,
})

/** Removes rows of ended runs once an hour. */
export function startRunRetention({ db, store, logError }: Omit<Parts, 'traces'>): { stop(): Promise<void> } {
  let sweep: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    sweep = (async () => {
      const retention = await store.setting(RUNS, () => KEPT_FOR_GOOD)
      if (retention.maxAgeDays === null && retention.maxBytes === null) return
      await sweepRuns(db, await store.deploymentNames(), retention)
    })().catch((error: Error) => logError(`Rows of old runs were not removed: ${error.message}`))
  }, HOUR_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await sweep
    },
  }
}

import 'server-only'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { env } from '../process/env'

// Console processes that share a port exchange their metrics through the one that started them (scripts/launch/processes.mjs),
// because a scrape reaches any of them.

type Message = { ask?: number; gathered?: number; parts?: object[] }

/** A starting process that never answers must not hold up a scrape; the launcher waits less than this. */
const PATIENCE_MS = 2_000

// On globalThis: instrumentation and the route each have their own copy of this module.
const shared = globalThis as { pilothouseGathers?: { last: number; waiting: Map<number, (parts: object[]) => void> } }
const gathers = () => {
  shared.pilothouseGathers ??= { last: 0, waiting: new Map() }
  return shared.pilothouseGathers
}

const isShared = () => env().PILOTHOUSE_PROCESSES > 1 && process.send !== undefined

/** Answers other processes with the metrics of this one. */
export function shareMetrics(read: () => Promise<object>): void {
  if (!isShared()) return
  process.on('message', ({ ask, gathered, parts }: Message) => {
    const answer = (part: object) => process.send?.({ ask, part })
    if (ask !== undefined) void read().then(answer, () => {}) // the asker does without
    if (gathered !== undefined) gathers().waiting.get(gathered)?.(parts ?? [])
  })
}

/** The metrics of all processes that answer in time, added up as each metric says; those of this one if it is alone. */
export async function gatheredMetrics(own: Registry): Promise<Pick<Registry, 'metrics'>> {
  if (!isShared()) return own
  const all = gathers()
  const gather = ++all.last
  const parts = await new Promise<object[]>((resolve) => {
    all.waiting.set(gather, resolve)
    setTimeout(resolve, PATIENCE_MS, []).unref()
    process.send?.({ gather })
  })
  all.waiting.delete(gather)
  return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...parts])
}

import 'server-only'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { env } from '../process/env'

// Console processes that share a port exchange their metrics through the one that started them (scripts/launch/processes.mjs),
// because a scrape reaches any of them.

type Part = Awaited<ReturnType<Registry['getMetricsAsJSON']>>
type Message = { ask?: number; gathered?: number; parts?: Part[] }

/** A starting process that never answers must not hold up a scrape; the launcher waits less than this. */
const PATIENCE_MS = 2_000

// On globalThis: instrumentation and the route each have their own copy of this module.
const shared = globalThis as { pilothouseGathers?: { last: number; waiting: Map<number, (parts: Part[]) => void> } }
const gathers = () => {
  shared.pilothouseGathers ??= { last: 0, waiting: new Map() }
  return shared.pilothouseGathers
}

const isShared = () => env().PILOTHOUSE_PROCESSES > 1 && process.send !== undefined

/**
 * Each series with the number of its process. Added up instead, counters would fall whenever a process ends or does not
 * answer, and Prometheus takes a fall for a restart.
 */
function numbered(part: Part): Part {
  const { PILOTHOUSE_PROCESS: number = '' } = env()
  return part.map((metric) => ({
    ...metric,
    aggregator: 'first', // the only one: no other process has this label
    values: metric.values.map((one) => ({ ...one, labels: { ...one.labels, process: number } })),
  }))
}

/** Answers other processes with the metrics of this one. */
export function shareMetrics(read: () => Promise<Part>): void {
  if (!isShared()) return
  process.on('message', ({ ask, gathered, parts }: Message) => {
    const answer = (part: Part) => process.send?.({ ask, part: numbered(part) })
    if (ask !== undefined) void read().then(answer, () => {}) // the asker does without
    if (gathered !== undefined) gathers().waiting.get(gathered)?.(parts ?? [])
  })
}

/** The metrics of all processes that answer in time, each with its label `process`; those of this one if it is alone. */
export async function gatheredMetrics(own: Registry): Promise<Pick<Registry, 'metrics'>> {
  if (!isShared()) return own
  const all = gathers()
  const gather = ++all.last
  const parts = await new Promise<Part[]>((resolve) => {
    all.waiting.set(gather, resolve)
    setTimeout(resolve, PATIENCE_MS, []).unref()
    process.send?.({ gather })
  })
  all.waiting.delete(gather)
  return AggregatorRegistry.aggregate([numbered(await own.getMetricsAsJSON()), ...parts])
}

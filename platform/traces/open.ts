import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Database, Db } from '../kernel/database'
import type { IgnoredFields } from '../kernel/ignored-fields'
import type { Store } from '../kernel/store'
import { createTracesApp } from './app'
import type { IntakeLimits } from './intake'
import { createTraceKeys } from './key'
import { RunStore } from './run-store'
import { rebuildIndexes } from './upkeep/indexes'
import { type Retention, startRetention, type TraceRetention } from './upkeep/retention'

export type TracesOptions = {
  db: Db
  /** For statements that take long. */
  upkeep: Db
  rebuildIndex: Database['rebuildIndex']
  store: Store
  tenantId: string
  sealKey: Buffer
  isKey(given: string): boolean
  ignoredFields: IgnoredFields
  logError(line: string): void
  limits?: IntakeLimits
  /** Replaces the stored limits. */
  retention?: Partial<Retention> | undefined
}
export type Traces = {
  serve(request: IncomingMessage, response: ServerResponse): void
  /** The key with which a deployment logs its runs. */
  keyOf(deploymentId: string): string
  readonly retention: TraceRetention
  stop(): Promise<void>
}

/** Two weeks, and half a gigabyte of compressed data per project, because this is one machine. */
const RETENTION: Retention = { maxAgeDays: 14, maxBytes: 512_000_000 }

/** The tracing part of the platform. */
export async function openTraces(options: TracesOptions): Promise<Traces> {
  const { db, upkeep, rebuildIndex, store, sealKey, logError } = options
  const keys = createTraceKeys(sealKey)
  const given = options.retention ?? {}
  const retention: TraceRetention = {
    isFixed: Object.keys(given).length > 0,
    current: async () => ({ ...(await store.setting('trace_retention', () => RETENTION)), ...given }),
    change: (limits) => store.setSetting('trace_retention', limits),
  }
  const app = createTracesApp({
    ...options,
    store: new RunStore(db),
    deploymentOfKey: keys.deploymentOf,
  })
  const listener = getRequestListener(app.fetch)
  const tidy = () => rebuildIndexes({ upkeep, rebuildIndex }, store)
  const sweeping = startRetention({ db: upkeep, retention, tidy, logError })
  return {
    serve: (request, response) => void listener(request, response),
    keyOf: keys.of,
    retention,
    stop: () => sweeping.stop(),
  }
}

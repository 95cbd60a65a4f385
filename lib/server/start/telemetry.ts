import 'server-only'
import { openLogs, openTraces, signalsOf } from '@/lib/telemetry/otlp'
import { env } from '../process/env'
import { log, sendLogsTo } from '../process/log'
import { beforeExit } from '../process/shutdown'

const SERVICE = 'pilothouse-console'

/**
 * Sends traces and logs by OTLP over HTTP if the standard variables name an endpoint; nothing is loaded otherwise. The
 * returned function stops it.
 */
export async function startTelemetry(): Promise<() => Promise<void>> {
  const { traces, logs } = signalsOf(env())
  if (!(traces || logs)) return async () => {}
  const stops = await Promise.all([traces && startTraces(), logs && startLogs()].filter((one) => one !== false))
  const stop = async () => void (await Promise.allSettled(stops.map((one) => one())))
  beforeExit(stop)
  log.info('telemetry.started', { traces, logs })
  return stop
}

/** Next.js makes its spans with the global provider. */
async function startTraces(): Promise<() => Promise<void>> {
  const [{ context, propagation, trace }, { AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
    ])
  const provider = await openTraces(SERVICE)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return async () => {
    await provider.shutdown()
    for (const api of [context, propagation, trace]) api.disable()
  }
}

async function startLogs(): Promise<() => Promise<void>> {
  const { send, shutdown } = await openLogs(SERVICE)
  sendLogsTo(send)
  return async () => {
    sendLogsTo(undefined)
    await shutdown()
  }
}

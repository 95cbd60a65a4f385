import 'server-only'
import { env } from '../process/env'
import { log, sendLogsTo } from '../process/log'
import { beforeExit } from '../process/shutdown'

/** Attributes of Next.js that hold an address. Its query may hold a search, or the code of a sign-in. */
const ADDRESSES = ['http.target', 'http.url', 'url.full', 'next.span_name']

/**
 * Sends traces and logs by OTLP over HTTP if the standard variables name an endpoint; nothing is loaded otherwise. The
 * exporters read their own `OTEL_EXPORTER_OTLP_*` variables. The returned function stops it.
 */
export async function startTelemetry(): Promise<() => Promise<void>> {
  const settings = env()
  const all = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  const hasTraces = (all ?? settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined
  const hasLogs = (all ?? settings.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT) !== undefined
  if (settings.OTEL_SDK_DISABLED === 'true' || !(hasTraces || hasLogs)) return async () => {}
  const stops = await Promise.all([hasTraces && startTraces(), hasLogs && startLogs()].filter((one) => one !== false))
  const stop = async () => void (await Promise.allSettled(stops.map((one) => one())))
  beforeExit(stop)
  log.info('telemetry.started', { traces: hasTraces, logs: hasLogs })
  return stop
}

async function resource() {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  )
  // The environment's attributes win.
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'pilothouse-console' }))
    .merge(detectResources({ detectors: [envDetector] }))
}

async function startTraces(): Promise<() => Promise<void>> {
  const [{ context, propagation, trace }, { BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
    ])
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks')
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core')
  const batch = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })
  const provider = new TracerProvider({
    resource: await resource(),
    spanProcessors: [
      {
        onStart: (span, parent) => batch.onStart(span, parent),
        onEnd(span) {
          for (const name of ADDRESSES) {
            const value = span.attributes[name]
            if (typeof value === 'string') span.attributes[name] = value.replace(/\?.*/s, '')
          }
          batch.onEnd(span)
        },
        forceFlush: () => batch.forceFlush(),
        shutdown: () => batch.shutdown(),
      },
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return async () => {
    await provider.shutdown()
    for (const api of [context, propagation, trace]) api.disable()
  }
}

async function startLogs(): Promise<() => Promise<void>> {
  const [{ BatchLogRecordProcessor, LoggerProvider }, { OTLPLogExporter }] = await Promise.all([
    import('@opentelemetry/sdk-logs'),
    import('@opentelemetry/exporter-logs-otlp-proto'),
  ])
  const provider = new LoggerProvider({
    resource: await resource(),
    processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })],
  })
  const logger = provider.getLogger('pilothouse')
  const numbers = { info: 9, warn: 13, error: 17 }
  sendLogsTo(({ level, event, fields }) =>
    logger.emit({
      severityNumber: numbers[level],
      severityText: level.toUpperCase(),
      eventName: event,
      body: JSON.stringify({ event, ...fields }),
    }),
  )
  return async () => {
    sendLogsTo(undefined)
    await provider.shutdown()
  }
}

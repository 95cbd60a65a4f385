import type { SpanProcessor } from '@opentelemetry/sdk-trace'

// What console, platform, agent server and listener share. Nothing of OpenTelemetry is loaded before it is asked for.

type Variables = {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT?: string | undefined
  OTEL_SDK_DISABLED?: string | undefined
}
type LogRecord = { level: 'info' | 'warn' | 'error'; event: string; fields: Record<string, unknown> }

/** Attributes of Next.js that hold an address. Its query may hold a search, or the code of a sign-in. */
const ADDRESSES = ['http.target', 'http.url', 'url.full', 'next.span_name']
const SEVERITY = { info: 9, warn: 13, error: 17 }

/** Which signals the standard variables ask for. */
export function signalsOf(variables: Variables): { traces: boolean; logs: boolean } {
  const isOn = variables.OTEL_SDK_DISABLED !== 'true'
  const all = variables.OTEL_EXPORTER_OTLP_ENDPOINT
  return {
    traces: isOn && Boolean(all || variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    logs: isOn && Boolean(all || variables.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT),
  }
}

async function resourceOf(service: string, about: Record<string, string>) {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  )
  // The environment's attributes win.
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service, ...about }))
    .merge(detectResources({ detectors: [envDetector] }))
}

/**
 * Sends spans by OTLP over HTTP, without queries of addresses. `about` are attributes of the program. The exporter reads
 * its own `OTEL_EXPORTER_OTLP_*` variables.
 */
export async function openTraces(service: string, about: Record<string, string> = {}) {
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
  ])
  const batch = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })
  const withoutQueries: SpanProcessor = {
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
  }
  return new TracerProvider({ resource: await resourceOf(service, about), spanProcessors: [withoutQueries] })
}

/** Sends log records by OTLP over HTTP, in the same way. */
export async function openLogs(service: string, about: Record<string, string> = {}) {
  const [{ BatchLogRecordProcessor, LoggerProvider }, { OTLPLogExporter }] = await Promise.all([
    import('@opentelemetry/sdk-logs'),
    import('@opentelemetry/exporter-logs-otlp-proto'),
  ])
  const provider = new LoggerProvider({
    resource: await resourceOf(service, about),
    processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })],
  })
  const logger = provider.getLogger('pilothouse')
  return {
    send: ({ level, event, fields }: LogRecord) =>
      logger.emit({
        severityNumber: SEVERITY[level],
        severityText: level.toUpperCase(),
        eventName: event,
        body: JSON.stringify({ event, ...fields }),
      }),
    shutdown: () => provider.shutdown(),
  }
}

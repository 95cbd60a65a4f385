import 'server-only'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

// Without an SDK (lib/server/start/telemetry.ts), all of this does nothing.

/** Runs a request to an upstream within a span. The span ends with the head of the response. */
export async function inClientSpan<T extends { status: number }>(name: string, work: () => Promise<T>): Promise<T> {
  return await trace.getTracer('pilothouse').startActiveSpan(name, { kind: SpanKind.CLIENT }, async (span) => {
    try {
      const response = await work()
      span.setAttribute('http.response.status_code', response.status)
      if (response.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR })
      return response
    } catch (error) {
      span.setAttribute('error.type', (error as Error).name)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** `traceparent` of the active span, for a request to an upstream. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return headers
}

/** Of the active span, so that a log line leads to its trace. */
export const activeTrace = (): { trace_id?: string } => {
  const id = trace.getActiveSpan()?.spanContext().traceId
  return id === undefined ? {} : { trace_id: id }
}

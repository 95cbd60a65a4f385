import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Attributes } from '@opentelemetry/api'
import { openLogs, openTraces, signalsOf } from '@/lib/telemetry/otlp'
import { withTelemetryVariables } from './env'

// No global tracer is set: an agent server's graphs may have one of their own, which must not send to the operator's.
// Attributes are ids and names that we chose; paths, bodies and messages of errors can hold secrets.

type Kind = 'internal' | 'server' | 'client'
type SpanOptions = {
  kind?: Kind
  /** The `traceparent` of another program; absent: the span that is active here. */
  parent?: string | undefined
  attributes?: Attributes
}
type ActiveSpan = {
  readonly traceparent: string
  readonly hasEnded: boolean
  rename(name: string): void
  set(attributes: Attributes): void
  fail(type: string): void
  end(): void
}
type TelemetryOptions = {
  /** The standard `OTEL_*` variables. */
  variables: Record<string, string>
  /** Attributes of the program. */
  about?: Record<string, string>
  hasLogs?: boolean
}
type LogRecord = Parameters<Awaited<ReturnType<typeof openLogs>>['send']>[0]

const FLUSH_MS = 1000
const FAILED = 500

const active = new AsyncLocalStorage<ActiveSpan>()
let begin: ((name: string, options: SpanOptions) => ActiveSpan) | undefined
let send: ((record: LogRecord) => void) | undefined

/** What is done later because of a request is no longer part of it. */
const current = (): ActiveSpan | undefined => {
  const span = active.getStore()
  return span?.hasEnded ? undefined : span
}

/**
 * Sends traces and logs by OTLP if the standard variables name an endpoint; nothing is loaded otherwise. The returned
 * function sends the rest, for at most a second.
 */
export async function startTelemetry(
  service: string,
  { variables, about = {}, hasLogs = true }: TelemetryOptions,
): Promise<() => Promise<void>> {
  const { traces, logs: asksForLogs } = signalsOf(variables)
  const logs = asksForLogs && hasLogs
  if (!(traces || logs)) return async () => {}
  const stops = await withTelemetryVariables(variables, async () => [
    ...(traces ? [await startTraces(service, about)] : []),
    ...(logs ? [await startLogs(service, about)] : []),
  ])
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS)
    })
    await Promise.race([Promise.allSettled(stops.map((stop) => stop())), late])
    clearTimeout(timer)
  }
}

async function startTraces(service: string, about: Record<string, string>): Promise<() => Promise<void>> {
  const [api, { W3CTraceContextPropagator }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
  ])
  const provider = await openTraces(service, about)
  const tracer = provider.getTracer('pilothouse')
  const kinds = { internal: api.SpanKind.INTERNAL, server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT }
  const w3c = new W3CTraceContextPropagator()
  begin = (name, { kind = 'internal', parent = current()?.traceparent, attributes }) => {
    const from = w3c.extract(api.ROOT_CONTEXT, parent ? { traceparent: parent } : {}, api.defaultTextMapGetter)
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, from)
    const carrier: Record<string, string> = {}
    w3c.inject(api.trace.setSpan(from, span), carrier, api.defaultTextMapSetter)
    let hasEnded = false
    return {
      traceparent: carrier.traceparent ?? '',
      get hasEnded() {
        return hasEnded
      },
      rename: (to) => void span.updateName(to),
      set: (more) => void span.setAttributes(more),
      fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: api.SpanStatusCode.ERROR }),
      end() {
        hasEnded = true
        span.end()
      },
    }
  }
  return async () => {
    begin = undefined
    await provider.shutdown()
  }
}

async function startLogs(service: string, about: Record<string, string>): Promise<() => Promise<void>> {
  const logs = await openLogs(service, about)
  send = logs.send
  return async () => {
    send = undefined
    await logs.shutdown()
  }
}

/** Works within a span, which ends with the work. Without telemetry, it only works. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span?: Pick<ActiveSpan, 'set' | 'fail'>) => Promise<T>,
): Promise<T> {
  const span = begin?.(name, options)
  if (!span) return work()
  try {
    return await active.run(span, () => work(span))
  } catch (error) {
    span.fail((error as Error | undefined)?.name ?? 'Error')
    throw error
  } finally {
    span.end()
  }
}

/** Answers a request within a span whose parent is the caller's. It ends when the response has ended. */
export function serveInSpan<T>(request: IncomingMessage, response: ServerResponse, area: string, work: () => T): T {
  const { method = 'GET' } = request
  const attributes = { 'http.request.method': method }
  const span = begin?.(`${method} ${area}`, { kind: 'server', parent: parentOf(request), attributes })
  if (!span) return work()
  response.once('close', () => {
    const { statusCode, headersSent } = response
    if (headersSent) span.set({ 'http.response.status_code': statusCode })
    if (headersSent && statusCode >= FAILED) span.fail(String(statusCode))
    span.end()
  })
  return active.run(span, work)
}

/**
 * Carries a WebSocket within a span whose parent is the caller's. It ends with the connection, and has its bytes. `work` is
 * given a function for the status: 101, or that of the refusal.
 */
export function carryInSpan(
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  area: string,
  work: (answered: (status: number) => void) => void,
): void {
  const attributes = { 'http.request.method': request.method ?? 'GET', 'network.protocol.name': 'websocket' }
  const span = begin?.(`websocket ${area}`, { kind: 'server', parent: parentOf(request), attributes })
  if (!span) {
    work(() => {})
    return
  }
  const connection = socket as Socket // of an HTTP server
  const before = { read: connection.bytesRead - head.length, written: connection.bytesWritten }
  connection.once('close', () => {
    span.set({
      'pilothouse.websocket.bytes_received': connection.bytesRead - before.read,
      'pilothouse.websocket.bytes_sent': connection.bytesWritten - before.written,
    })
    span.end()
  })
  active.run(span, () =>
    work((status) => {
      span.set({ 'http.response.status_code': status })
      if (status >= FAILED) span.fail(String(status))
    }),
  )
}

const parentOf = ({ headers }: IncomingMessage): string => [headers.traceparent].flat()[0] ?? ''

/** Names the request's span after its route, such as `/threads/{thread_id}`. */
export function nameRequest(method: string, route: string): void {
  const span = current()
  span?.rename(`${method} ${route}`)
  span?.set({ 'http.route': route })
}

export const describeRequest = (attributes: Attributes): void => current()?.set(attributes)

/** For what the active span causes in another program. */
export const traceHeaders = (): { traceparent?: string } => {
  const span = current()
  return span ? { traceparent: span.traceparent } : {}
}

/** Of the active span, so that a log line leads to its trace. */
export const activeTrace = (): { trace_id?: string } => {
  const id = current()?.traceparent.split('-')[1]
  return id ? { trace_id: id } : {}
}

/** Also sends a log record by OTLP. Its texts must hold no secrets. */
export const sendLog = (record: LogRecord): void => send?.(record)

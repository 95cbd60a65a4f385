import { isRecord } from '@/lib/json/guards'
import { get, type Json, listOf, textOf } from '@/lib/traces/blocks/values'

/** Spans of an OTLP request in one form, whether it came as protobuf or as JSON. */

export type SpanEvent = { name: string; time: number | undefined; attributes: Json }
export type OtlpSpan = {
  /** Lower-case hex, 32 and 16 digits. */
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  /** Epoch milliseconds, with microseconds as a fraction. */
  start: number | undefined
  end: number | undefined
  attributes: Json
  events: SpanEvent[]
  isError: boolean
  statusMessage: string | undefined
  resource: Json
  scope: { name: string | undefined; version: string | undefined }
}

/** Values nested deeper than this become null; the protobuf reader stops there too. */
const MAX_DEPTH = 100

/** The spans of a request, and the number of those without usable ids. */
export function readSpans(request: unknown): { spans: OtlpSpan[]; invalid: number } {
  const spans: OtlpSpan[] = []
  let invalid = 0
  for (const group of listOf(get(request, 'resourceSpans'))) {
    const resource = attributesOf(get(get(group, 'resource'), 'attributes'))
    for (const inner of listOf(get(group, 'scopeSpans'))) {
      const scope = get(inner, 'scope')
      const origin = { resource, scope: { name: textOf(get(scope, 'name')), version: textOf(get(scope, 'version')) } }
      for (const one of listOf(get(inner, 'spans'))) {
        const span = spanOf(one, origin)
        if (span) spans.push(span)
        else invalid += 1
      }
    }
  }
  return { spans, invalid }
}

function spanOf(given: unknown, origin: Pick<OtlpSpan, 'resource' | 'scope'>): OtlpSpan | undefined {
  const traceId = hexId(get(given, 'traceId'), 32)
  const spanId = hexId(get(given, 'spanId'), 16)
  if (!traceId || !spanId) return undefined
  const status = get(given, 'status')
  const code = get(status, 'code')
  return {
    traceId,
    spanId,
    parentSpanId: hexId(get(given, 'parentSpanId'), 16),
    name: textOf(get(given, 'name')) ?? 'span',
    kind: Number(get(given, 'kind')) || 0,
    start: msOf(get(given, 'startTimeUnixNano')),
    end: msOf(get(given, 'endTimeUnixNano')),
    attributes: attributesOf(get(given, 'attributes')),
    events: listOf(get(given, 'events')).map((event) => ({
      name: textOf(get(event, 'name')) ?? '',
      time: msOf(get(event, 'timeUnixNano')),
      attributes: attributesOf(get(event, 'attributes')),
    })),
    // Some JSON exporters send the enum's name.
    isError: code === 2 || code === 'STATUS_CODE_ERROR',
    statusMessage: textOf(get(status, 'message')),
    ...origin,
  }
}

/** An id as hex; undefined if it is absent, has another length or is all zeros, which means none. */
function hexId(value: unknown, length: number): string | undefined {
  const text = Buffer.isBuffer(value) ? value.toString('hex') : textOf(value)?.toLowerCase()
  return text?.length === length && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text) ? text : undefined
}

/** Nanoseconds as decimal text, a number or a 64-bit value. */
function msOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const text = String(value)
  if (!/^\d{1,20}$/.test(text) || /^0+$/.test(text)) return undefined
  return Number(BigInt(text) / 1000n) / 1000
}

function attributesOf(list: unknown, depth = 0): Json {
  const found = new Map<string, unknown>()
  for (const pair of listOf(list)) {
    const key = textOf(get(pair, 'key'))
    if (key) found.set(key, readValue(get(pair, 'value'), depth))
  }
  return Object.fromEntries(found)
}

function readValue(value: unknown, depth: number): unknown {
  if (!isRecord(value) || depth > MAX_DEPTH) return null
  const has = (key: string) => Object.hasOwn(value, key)
  if (has('stringValue')) return value.stringValue
  if (has('boolValue')) return value.boolValue
  if (has('intValue')) {
    const number = Number(String(value.intValue))
    return Number.isSafeInteger(number) ? number : String(value.intValue)
  }
  if (has('doubleValue')) return doubleOf(value.doubleValue)
  if (has('arrayValue')) return listOf(get(value.arrayValue, 'values')).map((one) => readValue(one, depth + 1))
  if (has('kvlistValue')) return attributesOf(get(value.kvlistValue, 'values'), depth + 1)
  if (has('bytesValue'))
    return Buffer.isBuffer(value.bytesValue) ? value.bytesValue.toString('base64') : value.bytesValue
  return null
}

/** As text where JSON has no such number. */
const doubleOf = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

import protobuf from 'protobufjs/light.js'

/** The part of OTLP's published messages that traces use. Fields that are left out are skipped when decoding. */

const fields = (all: Record<string, [id: number, type: string, rule?: 'repeated']>) => ({
  fields: Object.fromEntries(
    Object.entries(all).map(([name, [id, type, rule]]) => [name, { id, type, ...(rule && { rule }) }]),
  ),
})

const root = protobuf.Root.fromJSON({
  nested: {
    Request: fields({ resourceSpans: [1, 'ResourceSpans', 'repeated'] }),
    ResourceSpans: fields({ resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans', 'repeated'] }),
    Resource: fields({ attributes: [1, 'KeyValue', 'repeated'] }),
    ScopeSpans: fields({ scope: [1, 'Scope'], spans: [2, 'Span', 'repeated'] }),
    Scope: fields({ name: [1, 'string'], version: [2, 'string'] }),
    Span: fields({
      traceId: [1, 'bytes'],
      spanId: [2, 'bytes'],
      parentSpanId: [4, 'bytes'],
      name: [5, 'string'],
      kind: [6, 'int32'],
      startTimeUnixNano: [7, 'fixed64'],
      endTimeUnixNano: [8, 'fixed64'],
      attributes: [9, 'KeyValue', 'repeated'],
      events: [11, 'Event', 'repeated'],
      status: [15, 'Status'],
    }),
    Event: fields({ timeUnixNano: [1, 'fixed64'], name: [2, 'string'], attributes: [3, 'KeyValue', 'repeated'] }),
    Status: fields({ message: [2, 'string'], code: [3, 'int32'] }),
    KeyValue: fields({ key: [1, 'string'], value: [2, 'AnyValue'] }),
    AnyValue: fields({
      stringValue: [1, 'string'],
      boolValue: [2, 'bool'],
      intValue: [3, 'int64'],
      doubleValue: [4, 'double'],
      arrayValue: [5, 'ArrayValue'],
      kvlistValue: [6, 'KeyValueList'],
      bytesValue: [7, 'bytes'],
    }),
    ArrayValue: fields({ values: [1, 'AnyValue', 'repeated'] }),
    KeyValueList: fields({ values: [1, 'KeyValue', 'repeated'] }),
    Response: fields({ partialSuccess: [1, 'PartialSuccess'] }),
    PartialSuccess: fields({ rejectedSpans: [1, 'int64'], errorMessage: [2, 'string'] }),
    Failure: fields({ code: [1, 'int32'], message: [2, 'string'] }),
  },
})

/** A request as plain objects with the names of OTLP's JSON form; ids and bytes are buffers. Throws for other bytes. */
export function decodeRequest(body: Buffer): unknown {
  const type = root.lookupType('Request')
  return type.toObject(type.decode(body), { longs: String })
}

export type TraceResponse = { partialSuccess?: { rejectedSpans: number; errorMessage: string } }
export const encodeResponse = (response: TraceResponse): Buffer => encode('Response', response)

/** The body of an error, as exporters expect it. */
export const encodeFailure = (message: string): Buffer => encode('Failure', { message })

function encode(name: string, value: object): Buffer {
  const type = root.lookupType(name)
  return Buffer.from(type.encode(type.fromObject(value)).finish())
}

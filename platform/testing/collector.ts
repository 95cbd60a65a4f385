import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeRequest } from '../traces/otlp/messages'
import { type OtlpSpan, readSpans } from '../traces/otlp/spans'

/** Receives traces and logs by OTLP. `bytes` is all that came. */
export async function startCollector() {
  const spans: OtlpSpan[] = []
  let logs = ''
  let bytes = ''
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    bytes += body.toString('latin1')
    if (request.url === '/v1/traces') spans.push(...readSpans(decodeRequest(body)).spans)
    else logs += body.toString()
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    logs: () => logs,
    bytes: () => bytes,
    close: () => void server.close(),
  }
}

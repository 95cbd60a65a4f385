import 'server-only'
import { redactEventText } from '@/lib/contracts/wire/redact'
import { type SseEvent, SseParser } from '@/lib/stream/sse'

/** One event as bytes of a stream; data keeps its line breaks. */
function print({ event, data, id }: SseEvent): string {
  const name = event === 'message' ? '' : `event: ${event}\n`
  const mark = id === undefined ? '' : `id: ${id}\n`
  return `${name}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}${mark}\n`
}

/**
 * The same events without what the upstream echoes of credentials. Heartbeats pass as comments. An event is passed on
 * when it is complete; one that is cut off by the end is dropped, as every reader of such streams has to.
 */
export function redactedStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let comments = 0
  const parser = new SseParser({ onComment: () => comments++ })
  const redaction = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      comments = 0
      const events = parser.push(bytes).map((one) => print({ ...one, data: redactEventText(one.event, one.data) }))
      if (events.length > 0) controller.enqueue(encoder.encode(events.join('')))
      else if (comments > 0) controller.enqueue(encoder.encode(':\n\n'))
    },
  })
  return body.pipeThrough(redaction)
}

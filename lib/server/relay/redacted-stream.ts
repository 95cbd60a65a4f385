import 'server-only'
import { redactEventText } from '@/lib/contracts/wire/redact'
import { type SseEvent, SseParser } from '@/lib/stream/sse'

/** Formats one event for the stream; data keeps its line breaks. */
function print({ event, data, id }: SseEvent): string {
  const name = event === 'message' ? '' : `event: ${event}\n`
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `${name}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}${idLine}\n`
}

/**
 * Passes events on without credentials that the upstream echoes, and heartbeats as comments.
 * An event cut off by the end of the stream is dropped, as the SSE standard requires.
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

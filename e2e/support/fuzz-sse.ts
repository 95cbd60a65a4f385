import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { SseParser } from '../../lib/stream/sse'
import { createRandom } from '../../platform/testing/chaos-journey.mjs'

/** The type, data and last event id that a listener receives. */
type Heard = [name: string, data: string, lastEventId: string]
type Difference = { stream: string; browser: Heard[]; ours: Heard[]; way: string }

const AT_ONCE = 200

// The parts of streams, including those that parsers get wrong.
const FIELDS = [
  'data',
  'data',
  'data',
  'event',
  'id',
  'retry',
  'datax',
  'Data',
  ' data',
  'dat',
  '',
  '\ufeffdata',
  'event ',
]
const COLONS = [': ', ':', ':  ', '', '::', ' :', ':\t']
const VALUES = [
  '',
  'a',
  'b c',
  'x',
  'é',
  '€',
  '😀',
  '\0',
  '1',
  '007',
  '1a',
  ':',
  ' ',
  '\ufeff',
  '{"a":"b\\n"}',
  'message',
  'error',
]
const ENDS = ['\n', '\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r', '\n\r', '\r\n\n', '\n\r\n']
/** Truncated characters, invalid bytes, encoded surrogates, overlong forms. */
const BROKEN = [[0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0x80]]

/** One stream, in the pieces in which it is sent. */
function streamOf(seed: number): Buffer[] {
  const random = createRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T // never empty
  const parts: Buffer[] = []
  if (random() < 0.15)
    parts.push(Buffer.from(random() < 0.2 ? '\ufeff\ufeff' : random() < 0.5 ? '\ufeff:' : '\ufeffdata:'))
  for (let lines = 1 + below(24); lines > 0; lines--) {
    const value = random() < 0.1 ? pick(VALUES).repeat(below(200)) : pick(VALUES) + (random() < 0.3 ? pick(VALUES) : '')
    parts.push(Buffer.from(random() < 0.2 ? '' : pick(FIELDS) + pick(COLONS) + value))
    if (random() < 0.05) parts.push(Buffer.from(pick(BROKEN)))
    parts.push(Buffer.from(pick(ENDS)))
  }
  if (random() < 0.7) parts.push(Buffer.from('\n\n'))
  // Chromium violates the standard for a line break right after the byte order mark, so a colon, which starts a comment,
  // separates the two.
  const whole = Buffer.from(
    Buffer.concat(parts)
      .toString('latin1')
      .replace(/^(ï»¿)(?=[\r\n])/, '$1:'),
    'latin1',
  )
  const pieces: Buffer[] = []
  for (let at = 0; at < whole.length; ) {
    const end = random() < 0.5 ? whole.length : at + 1 + below(12)
    pieces.push(whole.subarray(at, end))
    at = end
  }
  return pieces
}

function parsed(pieces: readonly Uint8Array[]): Heard[] {
  const parser = new SseParser()
  const events = pieces.flatMap((piece) => parser.push(piece))
  parser.end()
  return events.map(({ event, data, lastEventId }): Heard => [event, data, lastEventId])
}

/**
 * Runs in the page: the events that its EventSource reads from each stream. An event type without a listener appears as a
 * missing event.
 */
const listen = (streams: { at: string; names: string[] }[]): Promise<Heard[][]> =>
  Promise.all(
    streams.map(
      ({ at, names }) =>
        new Promise<Heard[]>((resolve) => {
          const heard: Heard[] = []
          const source = new EventSource(at)
          for (const name of new Set(['message', 'error', 'open', 'a', 'x', ...names]))
            source.addEventListener(name, (event: Event) => {
              if (event instanceof MessageEvent) heard.push([event.type, event.data, event.lastEventId])
              else if (event.type === 'error') {
                source.close()
                resolve(heard)
              }
            })
        }),
    ),
  )

/** Sends `count` streams to the page's EventSource and to our parser; returns the differences. */
export async function fuzzSse(page: Page, { count, seed }: { count: number; seed: number }) {
  const server = createServer(async (request, response) => {
    const number = Number(request.url?.slice('/stream/'.length))
    if (!Number.isInteger(number))
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of streamOf(number)) {
      response.write(piece)
      await new Promise(setImmediate)
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const differences: Difference[] = []
  let events = 0
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    for (let first = 0; first < count; first += AT_ONCE) {
      const seeds = Array.from(
        { length: Math.min(AT_ONCE, count - first) },
        (_, index) => seed * 1_000_000 + first + index,
      )
      const mine = seeds.map((one) => parsed(streamOf(one)))
      const asked = seeds.map((one, index) => ({
        at: `/stream/${one}`,
        names: mine[index]?.map(([name]) => name) ?? [],
      }))
      const theirs = await page.evaluate(listen, asked)
      for (const [index, one] of seeds.entries()) {
        const whole = Buffer.concat(streamOf(one))
        const browser = theirs[index] ?? []
        events += browser.length
        const ways = { pieces: mine[index] ?? [], bytes: parsed([...whole].map((byte) => Uint8Array.of(byte))) }
        for (const [way, ours] of Object.entries(ways))
          if (JSON.stringify(ours) !== JSON.stringify(browser))
            differences.push({ stream: whole.toString('latin1'), browser, ours, way })
      }
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return { streams: count, events, differences }
}

// The events of the live benches: each has its number, its send time and a checksum, so that a fast side cannot lose,
// repeat or mix up events. Texts come from a fixed seed.
import { createRandom } from '../../platform/testing/chaos-journey.mjs'

/** The upstream stub's only deployment, and its path in the console. */
export const DEPLOYMENT = '0b5e0000-0000-4000-8000-000000000001'
export const WORKSPACE = 'default'
export const deploymentPath = `/${WORKSPACE}/deployments/${DEPLOYMENT}`

const POOL = 64
const pools = new Map()

function poolOf(bytes) {
  let pool = pools.get(bytes)
  if (!pool) {
    const next = createRandom(bytes)
    const letter = () => ' abcdefghijklmnopqrstuvwxyz'[Math.floor(next() * 27)]
    pool = Array.from({ length: POOL }, () => {
      const text = Array.from({ length: bytes }, letter).join('')
      return { text, sum: sumOf(text) }
    })
    pools.set(bytes, pool)
  }
  return pool
}

function sumOf(text) {
  let sum = 2166136261
  for (let index = 0; index < text.length; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 16777619)
  return sum
}
const mark = (sum, n) => Math.imul(sum ^ n, 16777619) >>> 0

/** Microseconds of a clock that all processes of this machine share. */
export const now = () => Number(process.hrtime.bigint() / 1000n)

/** The data of event `n`, counted from 1, with `bytes` characters of text. */
export function eventData(n, bytes, at = now()) {
  const { text, sum } = poolOf(bytes)[n % POOL]
  return `{"n":${n},"at":${at},"sum":${mark(sum, n)},"text":"${text}"}`
}

// As in a stream, or escaped once more within one of our frames.
const EVENT = /"n\\?":(\d+),\\?"at\\?":(\d+),\\?"sum\\?":(\d+),\\?"text\\?":\\?"([a-z ]*)\\?"\}/g

const untimed = new Map()
/**
 * The exact texts of events without a time, by number, the same for all readers; `quote` is how the stream writes
 * quotes.
 */
function textsOf(bytes, quote) {
  const name = `${bytes}${quote}`
  const texts = untimed.get(name) ?? []
  untimed.set(name, texts)
  return texts
}
// Without its brace, because an event is found by its first key.
const expected = (n, bytes, quote) =>
  Buffer.from(eventData(n, bytes, 0).slice(1).replaceAll('"', quote)).toString('latin1')

/**
 * What one reader saw of one stream. Searches the text and parses nothing else, because on two processors an expensive
 * reader would dominate the measurement.
 */
export class Tally {
  events = 0
  lost = 0
  doubled = 0
  damaged = 0
  last = 0
  latencies = []
  #bytes
  #isTimed = false
  #rest = ''

  constructor(bytes) {
    this.#bytes = bytes
  }

  take(piece) {
    const text = this.#rest + piece
    // History without times is compared with the expected text, so that reading twenty streams costs less than sending
    // them.
    let end = this.#isTimed ? 0 : this.#takeExpected(text)
    EVENT.lastIndex = end
    for (let found = EVENT.exec(text); found; found = EVENT.exec(text)) {
      end = EVENT.lastIndex
      this.#count(Number(found[1]), Number(found[2]), Number(found[3]), found[4])
    }
    this.#rest = text.slice(Math.max(end, text.length - this.#bytes - 400))
  }

  /** The end of the part of the text that matches the expected one exactly. */
  #takeExpected(text) {
    const first = text.indexOf('"n')
    if (first === -1) return 0
    const quote = text[first + 2] === '"' ? '"' : '\\"'
    const texts = textsOf(this.#bytes, quote)
    for (let end = 0; ; ) {
      const name = text.indexOf('"n', end)
      if (name === -1) return end
      texts[this.last + 1] ??= expected(this.last + 1, this.#bytes, quote)
      const next = texts[this.last + 1]
      const at = name + 1 - quote.length
      if (text.slice(at, at + next.length) !== next) return end
      end = at + next.length
      this.last += 1
      this.events += 1
    }
  }

  #count(n, at, sum, text) {
    const made = poolOf(this.#bytes)[n % POOL]
    if (text !== made.text || sum !== mark(made.sum, n)) this.damaged += 1
    if (n <= this.last) {
      this.doubled += 1
      return
    }
    this.lost += n - this.last - 1
    this.last = n
    this.events += 1
    if (at === 0) return
    this.#isTimed = true
    this.latencies.push(now() - at)
  }
}

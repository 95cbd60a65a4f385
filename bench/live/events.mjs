// The events of the live benches: each carries its number, the moment it was sent and a sum over number and text, so that a
// fast way can never be one that loses, repeats or mixes something up. Texts come from a fixed seed.
import { createRandom } from '../../platform/testing/chaos-journey.mjs'

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

/** The data of event `n`, counted from 1, with a text of `bytes` characters. */
export function eventData(n, bytes, at = now()) {
  const { text, sum } = poolOf(bytes)[n % POOL]
  return `{"n":${n},"at":${at},"sum":${mark(sum, n)},"text":"${text}"}`
}

const HEAD = /^\{"n":(\d+),"at":(\d+),"sum":(\d+),"text":"/

/** Number and time of an event; undefined where it is none of ours, `isWhole` false where it was damaged. */
export function readEvent(data) {
  const head = HEAD.exec(data)
  if (!head) return undefined
  const n = Number(head[1])
  return { n, at: Number(head[2]), isWhole: mark(sumOf(data.slice(head[0].length, -2)), n) === Number(head[3]) }
}

/** What one reader saw of one stream. */
export class Tally {
  events = 0
  lost = 0
  doubled = 0
  damaged = 0
  last = 0
  latencies = []

  take(data) {
    const event = readEvent(data)
    if (!event) return
    const { n, at, isWhole } = event
    if (!isWhole) this.damaged += 1
    if (n <= this.last) {
      this.doubled += 1
      return
    }
    this.lost += n - this.last - 1
    this.last = n
    this.events += 1
    if (at > 0) this.latencies.push(now() - at)
  }
}

/** Calls back with the name and data of each event of a stream whose lines end in LF. */
export function splitter(onEvent) {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop()
    for (const block of blocks) {
      let name = 'message'
      let data
      for (const line of block.split('\n'))
        if (line.startsWith('data: ')) data = line.slice(6)
        else if (line.startsWith('event: ')) name = line.slice(7)
      if (data !== undefined) onEvent(name, data)
    }
  }
}

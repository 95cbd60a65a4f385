import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

/** Deeper values go to the library's own serializer, which also detects cycles. */
const MAX_DEPTH = 100
const LARGE = 200_000
const MANY = 500

/**
 * The library's format, with a fast path for plain JSON. Nearly all state is plain JSON, and the general serializer
 * visits every value with an awaited call, which stalls the process for seconds at a few megabytes.
 */
export class FastSerializer implements SerializerProtocol {
  constructor(private readonly general: SerializerProtocol) {}

  async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    // Yield before the check, not in between: graph code must not change the value between check and write.
    if (mayBeLarge(value)) await takeTurns()
    if (!isPlainJson(value, 0)) return this.general.dumpsTyped(value)
    return ['json', Buffer.from(JSON.stringify(value))]
  }

  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    if (type !== 'json') return this.general.loadsTyped(type, data)
    const text = typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
    await takeTurns(text.length)
    // The library's serializer writes this key for anything that is not plain JSON.
    return text.includes('"lc":') ? this.general.loadsTyped(type, text) : JSON.parse(text)
  }
}

/** Whether the value's JSON may be long. Cheap: looks at a few hundred values at most. */
export function mayBeLarge(value: unknown): boolean {
  const open: unknown[] = [value]
  for (let seen = 0, size = 0; open.length; seen++) {
    const one = open.pop()
    if (typeof one === 'string') size += one.length
    else if (typeof one === 'object' && one !== null)
      for (const key in one) {
        open.push((one as Record<string, unknown>)[key])
        if (seen + open.length > MANY) return true
      }
    if (size > LARGE) return true
  }
  return false
}

let lastTurn: Promise<void> = Promise.resolve()

/** Gives each large value its own turn of the event loop, so that requests are served in between. */
export function takeTurns(size = Number.POSITIVE_INFINITY): Promise<void> | undefined {
  if (size <= LARGE) return undefined
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)))
  return lastTurn
}

/** Whether JSON.stringify and JSON.parse give the same value back. */
function isPlainJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > MAX_DEPTH) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isPlainJson(item, depth + 1)) return false
    return true
  }
  const prototype = Object.getPrototypeOf(value) as unknown
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return false
  for (const key in value) if (!isPlainJson((value as Record<string, unknown>)[key], depth + 1)) return false
  return true
}

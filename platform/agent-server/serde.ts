import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

/** Beyond this the value goes to the library's own serializer, which also finds cycles. */
const MAX_DEPTH = 100
const LARGE = 200_000

/**
 * The library's format, with a short way for what is plain JSON already: nearly all state is, and the general way
 * visits every value with an awaited call, which stalls the process for seconds at a few megabytes.
 */
export class FastSerializer implements SerializerProtocol {
  constructor(private readonly general: SerializerProtocol) {}

  async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    if (!isPlainJson(value, 0)) return this.general.dumpsTyped(value)
    const bytes = Buffer.from(JSON.stringify(value))
    await takeTurns(bytes.length)
    return ['json', bytes]
  }

  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    if (type !== 'json') return this.general.loadsTyped(type, data)
    const text = typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
    await takeTurns(text.length)
    // Whatever is no plain JSON was written with this key.
    return text.includes('"lc":') ? this.general.loadsTyped(type, text) : JSON.parse(text)
  }
}

let lastTurn: Promise<void> = Promise.resolve()

/** Lets requests be served between two large values, whoever stores them: each gets a turn of the event loop of its own. */
function takeTurns(size: number): Promise<void> | undefined {
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

import 'server-only'

// PostgreSQL's binary form of an array with one dimension, as `array_recv` reads it. The driver sends a Buffer as it is. One
// array costs both sides much less than a parameter for each of its items.

const HEAD_BYTES = 20
const [UUID, INT4, TEXT] = [2950, 23, 25]

function begin(type: number, count: number, itemBytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEAD_BYTES + count * 4 + itemBytes)
  array.writeInt32BE(1, 0) // dimensions
  array.writeInt32BE(0, 4) // whether there are nulls
  array.writeInt32BE(type, 8)
  array.writeInt32BE(count, 12)
  array.writeInt32BE(1, 16) // the first index
  return array
}

/** For a parameter of type `uuid[]`. */
export function uuidArray(ids: readonly string[]): Buffer {
  const array = begin(UUID, ids.length, ids.length * 16)
  let at = HEAD_BYTES
  for (const id of ids) {
    at = array.writeInt32BE(16, at)
    at += array.write(id.replaceAll('-', ''), at, 'hex')
  }
  return array
}

/** For a parameter of type `int[]`. */
export function intArray(numbers: readonly number[]): Buffer {
  const array = begin(INT4, numbers.length, numbers.length * 4)
  let at = HEAD_BYTES
  for (const one of numbers) at = array.writeInt32BE(one, array.writeInt32BE(4, at))
  return array
}

/** For a parameter of type `text[]`; bytes are UTF-8. */
export function textArray(texts: readonly (string | Buffer | null)[]): Buffer {
  const sizes = texts.map((one) => (one === null ? -1 : Buffer.byteLength(one)))
  const total = sizes.reduce((sum, size) => sum + Math.max(0, size), 0)
  const array = begin(TEXT, texts.length, total)
  let at = HEAD_BYTES
  for (const [index, one] of texts.entries()) {
    at = array.writeInt32BE(sizes[index] as number, at) // -1 stands for null
    if (one === null) array.writeInt32BE(1, 4)
    else at += typeof one === 'string' ? array.write(one, at) : one.copy(array, at)
  }
  return array
}

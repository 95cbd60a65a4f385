import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'

const deflate = promisify<Buffer, { level: number }, Buffer>(deflateRaw)
const inflate = promisify<Buffer, Buffer>(inflateRaw)
const PLAIN = 0
const DEFLATED = 1
/** Below this a text hardly shrinks, and a thread of its own costs more than the disk. */
const WORTH_IT = 1024

/** A JSON text as it is stored: one byte that tells how, then the text, compressed where that helps. */
export async function compressText(text: Buffer): Promise<Buffer> {
  const packed = text.length < WORTH_IT ? undefined : await deflate(text, { level: 1 })
  return packed && packed.length < text.length
    ? Buffer.concat([Buffer.of(DEFLATED), packed])
    : Buffer.concat([Buffer.of(PLAIN), text])
}

/** The JSON text itself, as it came. */
export async function decompressText(stored: Buffer): Promise<string> {
  const body = stored.subarray(1)
  return (stored[0] === DEFLATED ? await inflate(body) : body).toString('utf8')
}

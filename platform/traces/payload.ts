import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'

const deflate = promisify<Buffer, { level: number }, Buffer>(deflateRaw)
const inflate = promisify<Buffer, Buffer>(inflateRaw)
const PLAIN = 0
const DEFLATED = 1
/** Smaller texts hardly shrink, and compressing them on a thread costs more than the disk space. */
const WORTH_IT = 1024

/** The stored form of a JSON text: one byte for the encoding, then the text, compressed if that helps. */
export async function compressText(text: Buffer): Promise<Buffer> {
  const packed = text.length < WORTH_IT ? undefined : await deflate(text, { level: 1 })
  return packed && packed.length < text.length
    ? Buffer.concat([Buffer.of(DEFLATED), packed])
    : Buffer.concat([Buffer.of(PLAIN), text])
}

/** The original JSON text. */
export async function decompressText(stored: Buffer): Promise<string> {
  const body = stored.subarray(1)
  return (stored[0] === DEFLATED ? await inflate(body) : body).toString('utf8')
}

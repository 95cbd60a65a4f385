// A file of several streams, encrypted with a passphrase: scrypt, then AES-256-GCM for each piece, so that it can be written and
// read without holding it in memory. A piece that was changed, moved or left out fails to open.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'

const MAGIC = Buffer.from('PILOTHOUSE BACKUP 1\n')
const SALT_BYTES = 16
const TAG_BYTES = 16
const END = ''

const keyOf = (passphrase, salt) =>
  scryptSync(passphrase.normalize('NFKC'), salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 })

/** The key is fresh for each file, so a counter never repeats under it. */
function nonceOf(index) {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(index), 4)
  return nonce
}

/**
 * Writes streams to a file that only this user can read.
 * @param {string} file must not exist
 * @param {string} passphrase
 */
export function sealFile(file, passphrase) {
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  const failed = once(out, 'error').then(([error]) => Promise.reject(error))
  failed.catch(() => {})
  const salt = randomBytes(SALT_BYTES)
  const key = keyOf(passphrase, salt)
  let index = 0
  const write = async (bytes) => {
    if (!out.write(bytes)) await Promise.race([once(out, 'drain'), failed])
  }
  const opened = write(Buffer.concat([MAGIC, salt]))
  const put = async (name, data) => {
    await opened
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index++))
    const label = Buffer.from(name)
    const plain = Buffer.concat([Buffer.from([label.length]), label, data])
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(sealed.length)
    await write(Buffer.concat([length, sealed]))
  }
  return {
    put,
    /** @param {string} name @param {AsyncIterable<Uint8Array>} stream */
    async add(name, stream) {
      for await (const data of stream) await put(name, data)
    },
    async end() {
      await put(END, Buffer.alloc(0))
      out.end()
      await Promise.race([once(out, 'close'), failed])
    },
  }
}

/** The pieces of a sealed file in order, as `{ name, data }`. Throws an Error for a wrong passphrase and for damage. */
export async function* openFile(file, passphrase) {
  let rest = Buffer.alloc(0)
  let key
  let index = 0
  const take = (length) => {
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    return taken
  }
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    rest = Buffer.concat([rest, chunk])
    if (!key) {
      if (rest.length < MAGIC.length + SALT_BYTES) continue
      if (!take(MAGIC.length).equals(MAGIC)) throw new Error(`${file} is not a Pilothouse backup.`)
      key = keyOf(passphrase, take(SALT_BYTES))
    }
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const sealed = take(4 + rest.readUInt32BE()).subarray(4)
      const plain = unseal(key, index++, sealed, file)
      const name = plain.subarray(1, 1 + plain[0]).toString()
      if (name === END) return
      yield { name, data: plain.subarray(1 + plain[0]) }
    }
  }
  throw new Error(`${file} is truncated.`)
}

function unseal(key, index, sealed, file) {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    throw new Error(index === 0 ? 'The passphrase is wrong, or the file is damaged.' : `${file} is damaged.`)
  }
}

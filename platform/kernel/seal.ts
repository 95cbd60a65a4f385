import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Seals JSON values with AES-256-GCM. A value can only be opened for the `purpose` it was sealed for. */
export type Sealer = {
  seal(value: unknown, purpose: string): string
  /** Throws if the key differs, or the text was changed or moved. */
  open<T>(sealed: string, purpose: string): T
}

const VERSION = 'v1'

export function createSealer(key: Buffer): Sealer {
  if (key.length !== 32) throw new Error('The seal key in the data folder is damaged: 32 bytes expected.')
  return {
    seal(value, purpose) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return [VERSION, ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.')
    },
    open<T>(sealed: string, purpose: string) {
      const [version, ...parts] = sealed.split('.')
      const [nonce, tag, body] = parts.map((part) => Buffer.from(part, 'base64url'))
      if (version !== VERSION || !nonce || !tag || !body) throw new Error('A sealed value has an unknown form.')
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag)
      return JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')) as T
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Constant-time comparison; hashing makes the lengths equal. */
export function createKeyCheck(apiKey: string): (given: string) => boolean {
  const expected = digest(apiKey)
  return (given) => timingSafeEqual(digest(given), expected)
}

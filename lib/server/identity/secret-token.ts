import 'server-only'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

// A token is `<prefix>_<id>_<secret>`. The id finds its row, and the secret is compared with the row's hash in constant time.

const SECRET_BYTES = 32
const FORM = /^([a-z]{3})_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([\w-]{43})$/

/** A plain hash is enough: the secret has 256 random bits, so it cannot be guessed. */
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** A new token for the row with this id: its text, which is shown once, and the hash to store. */
export function newToken(prefix: string, id: string): { token: string; hash: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return { token: `${prefix}_${id.replaceAll('-', '')}_${secret}`, hash: hashOf(secret) }
}

/** The row's id and the secret of a token; undefined if it is none. */
export function readToken(prefix: string, text: string): { id: string; secret: string } | undefined {
  const [, given, a, b, c, d, e, secret] = FORM.exec(text) ?? []
  return given === prefix && secret ? { id: [a, b, c, d, e].join('-'), secret } : undefined
}

export const isSecretOf = (hash: string, secret: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(secret)))

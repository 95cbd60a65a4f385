import 'server-only'
import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { AppError } from '@/lib/errors'

// 64 MiB and about 0.2 s a hash. Each hash names its own parameters, so raising these leaves old hashes good.
const NOW = { N: 2 ** 16, r: 8, p: 1 }
const LENGTH = 32
/** Hashing takes threads that file and name look-ups share (four by default), and memory. */
const AT_ONCE = 2
const MAX_WAITING = 100

export const PASSWORD_LENGTH = { min: 12, max: 256 }

const waiting: (() => void)[] = []
let running = 0

async function derive(password: string, salt: Buffer, length: number, { N, r, p }: typeof NOW): Promise<Buffer> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING)
      throw new AppError('rate_limited', 'Too many people are signing in. Try again in a moment.', {
        retryAfterMs: 5000,
      })
    await new Promise<void>((resolve) => waiting.push(resolve)) // who leaves hands its place over
  } else running += 1
  try {
    return await new Promise((resolve, reject) =>
      // One character may be written in several ways; all of them are the same password.
      scrypt(password.normalize('NFKC'), salt, length, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
        error ? reject(error) : resolve(key),
      ),
    )
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, LENGTH, NOW)
  return ['scrypt', NOW.N, NOW.r, NOW.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** A hash nobody has the password of: what is compared when there is no account, so that both take the same time. */
const NOBODY = [
  'scrypt',
  NOW.N,
  NOW.r,
  NOW.p,
  randomBytes(16).toString('base64url'),
  randomBytes(LENGTH).toString('base64url'),
].join('$')

/** Whether the password is the one of `hash`. Takes as long when there is no hash. */
export async function isPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const [scheme, N, r, p, salt, expected] = (hash ?? NOBODY).split('$')
  if (scheme !== 'scrypt' || !salt || !expected) throw new Error('A password hash in the store is damaged.')
  const wanted = Buffer.from(expected, 'base64url')
  const given = await derive(password, Buffer.from(salt, 'base64url'), wanted.length, {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  })
  return timingSafeEqual(given, wanted) && typeof hash === 'string'
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789' // none that look like another

/** A password to read out or type: 20 characters in groups of five, about 115 bits. */
export function generatePassword(): string {
  const letters = Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)])
  return letters.join('').replace(/(.{5})(?=.)/g, '$1-')
}

import 'server-only'
import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { AppError } from '@/lib/errors'

// 64 MiB and about 0.2 s per hash. Each hash stores its parameters, so old hashes stay valid when these are raised.
const NOW = { N: 2 ** 16, r: 8, p: 1 }
const LENGTH = 32
/** Hashing uses memory and threads of the pool that file access and DNS share (four by default). */
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
    await new Promise<void>((resolve) => waiting.push(resolve)) // a finishing hash hands its slot over
  } else running += 1
  try {
    return await new Promise((resolve, reject) =>
      // The same character can be encoded in several ways.
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

/** Compared when there is no account, so that both cases take the same time. No password matches it. */
const NOBODY = [
  'scrypt',
  NOW.N,
  NOW.r,
  NOW.p,
  randomBytes(16).toString('base64url'),
  randomBytes(LENGTH).toString('base64url'),
].join('$')

/** Whether the password matches `hash`. Takes the same time without a hash. */
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

const LETTERS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789' // no ambiguous characters

/** A random password that is easy to read out and type: 20 characters in groups of five, about 115 bits. */
export function generatePassword(): string {
  const letters = Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)])
  return letters.join('').replace(/(.{5})(?=.)/g, '$1-')
}

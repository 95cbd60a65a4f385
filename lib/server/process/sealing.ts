import 'server-only'
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { env } from './env'
import { readOrCreateKey } from './key-file'

type Purpose = 'workspace-keys' | 'audit' | 'fingerprint'
/** What a sealed text belongs to. Only this owner and origin can open it. */
export type Seal = { owner: string; origin: string }

const shared = globalThis as { pilothouseKeys?: Map<string, Buffer> }

/** A key for one purpose, derived from the installation's sealing key. */
export function derivedKey(purpose: Purpose): Buffer {
  const root = env().PILOTHOUSE_SEALING_KEY ?? readOrCreateKey('sealing-key')
  shared.pilothouseKeys ??= new Map()
  const at = `${purpose}:${root}`
  const known = shared.pilothouseKeys.get(at)
  if (known) return known
  const key = Buffer.from(hkdfSync('sha256', root, 'pilothouse', purpose, 32))
  shared.pilothouseKeys.set(at, key)
  return key
}

/** Tells whether a sealed text was made with the current key, without opening it. */
const keyId = (key: Buffer) => createHmac('sha256', key).update('key id').digest('hex').slice(0, 8)
/** A JSON list, because no two pairs of owner and origin have the same text. */
const boundTo = ({ owner, origin }: Seal) => Buffer.from(JSON.stringify([owner, origin]))

/** Encrypts and authenticates `value` for its owner and origin with AES-256-GCM and a fresh 96-bit nonce. */
export function seal(value: string, to: Seal): string {
  const key = derivedKey('workspace-keys')
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(to))
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return ['v1', keyId(key), nonce.toString('base64url'), sealed.toString('base64url')].join('.')
}

/** Opens a text sealed for this owner and origin. Throws an Error that contains no part of it. */
export function unseal(envelope: string, from: Seal): string {
  const key = derivedKey('workspace-keys')
  const [version, id, nonce, body, ...rest] = envelope.split('.')
  if (version !== 'v1' || !id || !nonce || !body || rest.length > 0) throw new Error('The sealed keys are damaged.')
  if (id !== keyId(key))
    throw new Error('The keys were sealed with another sealing key. Restore that key, or enter the keys again.')
  const sealed = Buffer.from(body, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
      authTagLength: 16,
    }).setAAD(boundTo(from))
    decipher.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString('utf8')
  } catch {
    throw new Error('The sealed keys belong to another workspace or origin, or were changed.')
  }
}

/**
 * A keyed hash: equal texts of one workspace have equal fingerprints, and two workspaces never match. Over UTF-16,
 * because UTF-8 makes all unpaired surrogates equal.
 */
export const fingerprint = (workspace: string, value: string): string =>
  createHmac('sha256', derivedKey('fingerprint'))
    .update(`${JSON.stringify(workspace)}\n`)
    .update(Buffer.from(value, 'utf16le'))
    .digest('hex')
    .slice(0, 32)

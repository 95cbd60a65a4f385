import 'server-only'
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { env } from './env'

/** A random secret in a file of the data folder, created on first use and readable only by this user. */
export function readOrCreateKey(name: 'sealing-key' | 'session-secret'): string {
  const folder = env().PILOTHOUSE_DATA
  const file = path.join(/* turbopackIgnore: true */ folder, name)
  const read = () => {
    try {
      return readFileSync(file, 'utf8').trim()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw new Error(`${file} cannot be read: ${(error as Error).message}`)
    }
  }
  const kept = read()
  if (kept !== undefined) {
    if (kept.length < 32) throw new Error(`${file} is damaged: it is too short to be a key. Put it back from a backup.`)
    return kept
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Linked only when complete: of several processes one wins, and none reads half a key.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readOrCreateKey(name)
}

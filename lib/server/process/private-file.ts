import 'server-only'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { env } from './env'

const at = (name: string) => path.join(/* turbopackIgnore: true */ env().PILOTHOUSE_DATA, name)

/** Writes a file of the data folder, readable only by this user: whole or not at all. */
export function writePrivateFile(name: string, text: string): void {
  const draft = `${at(name)}.${process.pid}`
  mkdirSync(path.dirname(draft), { recursive: true, mode: 0o700 })
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, at(name))
}

/** Undefined if there is none. */
export const readPrivateFile = (name: string): string | undefined =>
  existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined

export const removePrivateFile = (name: string): void => rmSync(at(name), { force: true })

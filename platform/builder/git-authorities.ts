import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { rootCertificates } from 'node:tls'
import { operatorVariable } from '../kernel/env'

/** Where systems keep the authorities that they trust. */
const SYSTEM_FILES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem']
const joined = new Map<string, Promise<string>>()
let made: string | undefined

/** Where the files are. Commands of a source run git too, so every deployment may read it, with a user of its own as well. */
export function authoritiesFolder(): string {
  if (made) return made
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-authorities-'))
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  made = folder
  return folder
}

/**
 * A file of the authorities that git is to trust: those of the system, and the operator's own. Git takes one file in place of the
 * system's. Undefined if the operator has none, so that git looks for itself.
 */
export async function gitAuthorities(credentials: string | undefined): Promise<string | undefined> {
  const own = await Promise.all([
    readText(operatorVariable('NODE_EXTRA_CA_CERTS')),
    readText(credentials && path.join(credentials, 'ca.crt')),
  ])
  const text = own.join('\n').trim()
  if (text === '') return undefined
  const file = joined.get(text) ?? join(text)
  joined.set(text, file)
  return await file
}

async function join(own: string): Promise<string> {
  let system = ''
  for (const file of [operatorVariable('SSL_CERT_FILE'), ...SYSTEM_FILES]) system ||= await readText(file)
  const file = path.join(authoritiesFolder(), `${joined.size}.crt`)
  await writeFile(file, `${system || rootCertificates.join('\n')}\n${own}\n`)
  return file
}

/** Empty if it cannot be read, like NODE_EXTRA_CA_CERTS for Node.js. */
const readText = (file: string | undefined) => (file ? readFile(file, 'utf8').catch(() => '') : Promise.resolve(''))

// Peers with their own packages, installed once into their folder from its lock file.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cleanEnv } from '../../scripts/bootstrap.mjs'

/** Installs a rival unless that was done with the same lock file; returns its folder. */
export function ensureRival(name) {
  const rival = path.join(import.meta.dirname, name)
  const lock = readFileSync(path.join(rival, 'package-lock.json'))
  const want = createHash('sha256').update(lock).update(process.version).digest('hex')
  const stamp = path.join(rival, 'node_modules/.stamp')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return rival
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', flags, { cwd: rival, env: cleanEnv(), stdio: 'inherit' })
  if (status !== 0) throw new Error('The rival could not be installed; it needs the npm registry once.')
  writeFileSync(stamp, want)
  return rival
}

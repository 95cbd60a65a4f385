import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { operatorVariable } from '../kernel/env'

/** Settings that say where packages come from and how they are fetched. */
const PASSED = /^\s*((@[\w.-]+:)?registry|(https?-)?proxy|noproxy|cafile|ca|strict-ssl|fetch-[\w-]+|maxsockets)\s*=/i

/**
 * Copies the operator's npm settings, without keys and passwords, to a file that deployments may read. Returns the
 * file.
 */
export function npmSettingsWithoutKeys(file: string): string {
  let text = ''
  try {
    text = readFileSync(operatorVariable('npm_config_userconfig') ?? path.join(os.homedir(), '.npmrc'), 'utf8')
  } catch {
    // no settings
  }
  const lines = text.split(/\r?\n/).filter((line) => PASSED.test(line))
  // A URL may contain a password.
  const kept = lines.filter((line) => !/:\/\/[^/]*@/.test(line))
  writeFileSync(file, kept.map((line) => `${line}\n`).join(''), { mode: 0o644 })
  return file
}
